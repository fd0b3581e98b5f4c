import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** Files for tests, made of code: no picture is kept in the repository. */

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A picture that does not compress to nothing: a gradient with a fine pattern over it. */
export function picture(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels)
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = (((at * 7919) >> 3) & 63) + Math.floor((at / pixels.length) * 190)
  }
  return sharp(pixels, { raw: { width, height, channels } })
}

/** A picture that hardly compresses at all, like a noisy photo. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels)
  let seed = 12_345
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    pixels[at] = seed >> 16
  }
  return sharp(pixels, { raw: { width, height, channels } })
}

/** An animation with a frame of each colour. */
export function animation(width: number, height: number, frames: number): Sharp {
  const pixels = Buffer.alloc(width * height * frames * 3)
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = Math.floor(at / (width * height * 3)) * 40 + (at % 7)
  }
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
}

/** A chunk of a PNG with its length and checksum. */
export function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), typed, uint32(crc32(typed))])
}

/** The head of a PNG, with eight bits for each of red, green and blue unless said otherwise. */
export function pngHead(width: number, height: number, { bits = 8, colours = 2 } = {}): Buffer {
  return pngChunk(
    'IHDR',
    Buffer.concat([uint32(width), uint32(height), bytes(bits, colours, 0, 0, 0)]),
  )
}

/** A PNG with these chunks and its end. */
export function png(...chunks: Buffer[]): Buffer {
  return Buffer.concat([PNG_SIGNATURE, ...chunks, pngChunk('IEND')])
}

/** Compressed pixels, all of one colour. */
export function pngPixels(width: number, height: number, value = 0): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height, value)
  for (let row = 0; row < height; row += 1) rows[row * (width * 3 + 1)] = 0
  return deflateSync(rows)
}

/** An animated PNG with frames of these sizes; the first one is the picture that others see. */
export function animatedPng(
  frames: readonly { width: number; height: number; left?: number; pixels?: Buffer }[],
): Buffer {
  const [first] = frames
  let sequence = 0
  const chunks = frames.flatMap((frame, index) => {
    const { width, height, left = 0, pixels = pngPixels(width, height, index * 10) } = frame
    const place = Buffer.concat([width, height, left, 0].map(uint32))
    const control = Buffer.concat([uint32(sequence++), place, bytes(0, 1, 0, 10, 0, 0)])
    const body =
      index === 0
        ? pngChunk('IDAT', pixels)
        : pngChunk('fdAT', Buffer.concat([uint32(sequence++), pixels]))
    return [pngChunk('fcTL', control), body]
  })
  const control = Buffer.concat([uint32(frames.length), uint32(0)])
  return png(pngHead(first?.width ?? 0, first?.height ?? 0), pngChunk('acTL', control), ...chunks)
}

/** A GIF whose frames are one pixel each, so that very many fit into a small file. */
export function gifOfFrames(frames: number, side = 1): Buffer {
  const head = Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    uint16(side),
    uint16(side),
    bytes(0x80, 0, 0, 0, 0, 0, 255, 255, 255),
  ])
  const frame = Buffer.concat([
    bytes(0x21, 0xf9, 4, 0, 1, 0, 0, 0),
    bytes(0x2c, 0, 0, 0, 0),
    uint16(1),
    uint16(1),
    bytes(0, 2, 2, 0x44, 1, 0),
  ])
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), bytes(0x3b)])
}

/** The first box of a file of the family of MP4, with this brand. */
export function ftyp(brand: string, ...compatible: string[]): Buffer {
  const text = Buffer.from(`ftyp${brand}\0\0\0\0${compatible.join('')}`, 'latin1')
  return Buffer.concat([uint32(text.length + 4), text])
}

export function bytes(...values: number[]): Buffer {
  return Buffer.from(values)
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value >>> 0, 0)
  return buffer
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value, 0)
  return buffer
}
