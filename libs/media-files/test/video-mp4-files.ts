/** Writes MP4 and MOV files box by box, so that each of their fields can be wrong. */

export function box(type: string, ...payload: Uint8Array[]): Buffer {
  const body = Buffer.concat(payload)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body])
}

/** A box with the 64-bit form of its size, which may be told. */
export function longBox(type: string, payload: Uint8Array, size?: bigint): Buffer {
  const long = Buffer.alloc(8)
  long.writeBigUInt64BE(size ?? BigInt(payload.length + 16))
  return Buffer.concat([u32(1), Buffer.from(type, 'latin1'), long, payload])
}

/** A box whose size field says something else than its size. */
export function boxOfSize(size: number, type: string, ...payload: Uint8Array[]): Buffer {
  return Buffer.concat([u32(size), Buffer.from(type, 'latin1'), ...payload])
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4))
  return bytes
}

export function ftyp(major = 'isom', ...compatible: string[]): Buffer {
  const brands = (compatible.length > 0 ? compatible : [major]).join('')
  return box('ftyp', Buffer.from(major, 'latin1'), u32(0), Buffer.from(brands, 'latin1'))
}

export const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
export const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]

export type MovieOptions = {
  width: number
  height: number
  matrix: number[]
  /** Header box `mvhd`; by default of 5 s. */
  mvhd: Buffer
  mdhd: Buffer
  handler: string
  dref: Buffer
  sampleEntry: string
  /** Sizes of the samples, all in one chunk. */
  sampleSizes: number[]
  chunkStart: number
  stbl: Buffer[]
  mvex: Buffer[]
  tracks: number
}

/** Time header of version 0; `mvhd` and `mdhd` begin alike. */
export function timeHeader(type: string, timescale: number, duration: number): Buffer {
  return box(type, u32(0, 0, 0, timescale, duration), Buffer.alloc(80))
}

/** Time header of version 1, with a duration of 64 bits. */
export function longTimeHeader(type: string, timescale: number, duration: bigint): Buffer {
  const long = Buffer.alloc(8)
  long.writeBigUInt64BE(duration)
  return box(type, u32(1 << 24, 0, 0, 0, 0, timescale), long, Buffer.alloc(80))
}

export function moov(options: Partial<MovieOptions> = {}): Buffer {
  const { mvhd = timeHeader('mvhd', 1000, 5000), mvex = [], tracks = 1 } = options
  const traks = Array.from({ length: tracks }, () => trak(options))
  return box('moov', mvhd, ...traks, ...mvex)
}

function trak(options: Partial<MovieOptions>): Buffer {
  const { width = 640, height = 360, matrix = IDENTITY, handler = 'vide' } = options
  const { dref = box('url ', u32(1)), mdhd = timeHeader('mdhd', 1000, 5000) } = options
  const size = u32(width * 65536, height * 65536)
  const tkhd = box('tkhd', u32(3, 0, 0, 1, 0, 5000, 0, 0, 0, 0), u32(...matrix), size)
  const hdlr = box('hdlr', u32(0, 0), Buffer.from(handler, 'latin1'), Buffer.alloc(13))
  const dinf = box('dinf', box('dref', u32(0, 1), dref))
  const stbl = box('stbl', stsd(options), ...(options.stbl ?? tables(options)))
  return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', dinf, stbl)))
}

function stsd({ width = 640, height = 360, sampleEntry = 'avc1' }: Partial<MovieOptions>): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(width & 0xffff, 0)
  size.writeUInt16BE(height & 0xffff, 2)
  return box('stsd', u32(0, 1), box(sampleEntry, Buffer.alloc(24), size, Buffer.alloc(50)))
}

export function tables({ sampleSizes = [100], chunkStart = 0 }: Partial<MovieOptions>): Buffer[] {
  return [
    box('stts', u32(0, 1, sampleSizes.length, 1000)),
    box('stsc', u32(0, 1, 1, sampleSizes.length, 1)),
    box('stsz', u32(0, 0, sampleSizes.length, ...sampleSizes)),
    box('stco', u32(0, 1, chunkStart)),
  ]
}

export const NO_TABLES = [
  box('stts', u32(0, 0)),
  box('stsc', u32(0, 0)),
  box('stsz', u32(0, 0, 0)),
  box('stco', u32(0, 0)),
]

export function mdat(bytes = 100): Buffer {
  return box('mdat', Buffer.alloc(bytes, 7))
}

/** A whole MP4 of five seconds with its movie header in front. */
export function mp4(options: Partial<MovieOptions> & { brand?: string } = {}): Buffer {
  const head = ftyp(options.brand)
  const chunkStart = head.length + moov(options).length + 8
  return Buffer.concat([head, moov({ chunkStart, ...options }), mdat()])
}

/** A fragment of one track: `samples` durations of its samples, and when it begins. */
export function moof(durations: number[], start?: number): Buffer {
  const tfhd = box('tfhd', u32(0x020000, 1))
  const tfdt = start === undefined ? [] : [box('tfdt', u32(0, start))]
  const trun = box('trun', u32(0x000101, durations.length, 0, ...durations))
  return box('moof', box('mfhd', u32(0, 1)), box('traf', tfhd, ...tfdt, trun))
}

export function mvex(defaultDuration = 0): Buffer {
  return box('mvex', box('trex', u32(0, 1, 1, defaultDuration, 0, 0)))
}
