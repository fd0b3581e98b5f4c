import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { UnreadableFile } from '../unreadable-file.ts'
import { decodeFully } from './decode-fully.ts'
import { MAX_FRAMES, MAX_PIXELS_OF_ALL_FRAMES, tooManyPixels } from './open-image.ts'

/**
 * The decoder reads only the first picture of an animated PNG, but whoever gets the file will read all of them. So each
 * frame is put into a PNG of its own here and decoded. https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export async function decodeAnimatedPng(path: string): Promise<{ frames: number }> {
  const file = await readFile(path)
  let frames = 0
  let pixels = 0
  for (const frame of framesOf(file)) {
    frames += 1
    pixels += frame.width * frame.height
    if (frames > MAX_FRAMES || pixels > MAX_PIXELS_OF_ALL_FRAMES) throw tooManyPixels()
    await decodeFully(frame.png(), 1)
  }
  return { frames }
}

type Frame = { width: number; height: number; png: () => Buffer }
type Chunk = { type: string; data: Buffer }
type OpenFrame = { header: Buffer; data: Buffer[] }

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const FRAME_CONTROL_BYTES = 26
/** What colours of a frame depend on and must stand in front of its pixels. */
const SHARED = new Set(['PLTE', 'tRNS'])

function* framesOf(file: Buffer): Generator<Frame> {
  const shared: Chunk[] = []
  let header: Buffer | undefined
  let open: OpenFrame | undefined
  for (const { type, data } of chunksOf(file)) {
    if (type === 'IHDR') header = data
    if (SHARED.has(type)) shared.push({ type, data })
    if (type === 'IDAT') open?.data.push(data)
    // Four bytes with the chunk's number come first.
    if (type === 'fdAT') open?.data.push(data.subarray(4))
    if (type === 'fcTL' || type === 'IEND') {
      if (open) yield toFrame(open, shared)
      open = type === 'fcTL' ? { header: frameHeader(header, data), data: [] } : undefined
    }
  }
}

/** The head of a PNG that holds one frame, which must lie within the whole picture. */
function frameHeader(whole: Buffer | undefined, control: Buffer): Buffer {
  if (whole?.length !== 13 || control.length !== FRAME_CONTROL_BYTES) throw damaged()
  const [width, height, left, top] = [4, 8, 12, 16].map((offset) => control.readUInt32BE(offset))
  if (!width || !height || left === undefined || top === undefined) throw damaged()
  const isInside = left + width <= whole.readUInt32BE(0) && top + height <= whole.readUInt32BE(4)
  if (!isInside) throw damaged()
  return Buffer.concat([control.subarray(4, 12), whole.subarray(8)])
}

function toFrame({ header, data }: OpenFrame, shared: Chunk[]): Frame {
  const chunks = [
    { type: 'IHDR', data: header },
    ...shared,
    { type: 'IDAT', data: Buffer.concat(data) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ]
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    png: () => Buffer.concat([SIGNATURE, ...chunks.map(encodeChunk)]),
  }
}

function* chunksOf(file: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; ;) {
    if (at + 12 > file.length) throw damaged()
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    if (at + 12 + length > file.length) throw damaged()
    yield { type, data: file.subarray(at + 8, at + 8 + length) }
    if (type === 'IEND') return
    at += 12 + length
  }
}

function encodeChunk({ type, data }: Chunk): Buffer {
  const lengthAndType = Buffer.alloc(8)
  lengthAndType.writeUInt32BE(data.length, 0)
  lengthAndType.write(type, 4, 'latin1')
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(data, crc32(lengthAndType.subarray(4))), 0)
  return Buffer.concat([lengthAndType, data, sum])
}

function damaged(): UnreadableFile {
  return new UnreadableFile('The picture is damaged or incomplete.')
}
