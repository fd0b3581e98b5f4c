/** Writes WEBM files element by element, so that each of their fields can be wrong. */

export const UNKNOWN = 'unknown'

/** An element whose size takes eight bytes, and may be told or unknown. */
export function element(id: number, payload: Uint8Array, size?: number | typeof UNKNOWN): Buffer {
  const idBytes = Buffer.from(id.toString(16).padStart(id > 0xff ? 4 : 2, '0'), 'hex')
  const header = Buffer.alloc(8)
  header.writeBigUInt64BE(BigInt(size === UNKNOWN ? 0 : (size ?? payload.length)))
  header.writeUInt8(0x01, 0)
  if (size === UNKNOWN) header.fill(0xff, 1)
  return Buffer.concat([idBytes, header, payload])
}

export function uint(id: number, value: number): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUIntBE(value, 0, 6)
  return element(id, payload)
}

export function float(id: number, value: number): Buffer {
  const payload = Buffer.alloc(8)
  payload.writeDoubleBE(value)
  return element(id, payload)
}

export function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value))
}

export type WebmOptions = {
  docType: string
  width: number
  height: number
  /** In milliseconds; undefined as live recorders leave it out. */
  duration: number | undefined
  codec: string
  trackType: number
  trackExtra: Buffer[]
  videoExtra: Buffer[]
  tracks: number
  clusters: Buffer[]
  segmentSize: number | typeof UNKNOWN
}

/** A whole WEBM of five seconds. */
export function webm(options: Partial<WebmOptions> = {}): Buffer {
  const { docType = 'webm', clusters = [cluster(0)], segmentSize } = options
  const header = element(0x1a45dfa3, text(0x4282, docType))
  const duration = 'duration' in options ? options.duration : 5000
  const info = [
    uint(0x2ad7b1, 1_000_000),
    ...(duration === undefined ? [] : [float(0x4489, duration)]),
  ]
  const entries = Array.from({ length: options.tracks ?? 1 }, () => trackEntry(options))
  const segment = [
    element(0x1549a966, Buffer.concat(info)),
    element(0x1654ae6b, Buffer.concat(entries)),
    ...clusters,
  ]
  return Buffer.concat([header, element(0x18538067, Buffer.concat(segment), segmentSize)])
}

function trackEntry(options: Partial<WebmOptions>): Buffer {
  const { width = 640, height = 360, codec = 'V_VP8', trackType = 1 } = options
  const { trackExtra = [], videoExtra = [] } = options
  const video = Buffer.concat([uint(0xb0, width), uint(0xba, height), ...videoExtra])
  const fields = [uint(0xd7, 1), uint(0x83, trackType), text(0x86, codec), element(0xe0, video)]
  return element(0xae, Buffer.concat([...fields, ...trackExtra]))
}

/** A cluster that begins at a time, with a block at each of the times since then; all in milliseconds. */
export function cluster(
  start: number,
  blocks: number[] = [0, 100],
  size?: number | typeof UNKNOWN,
): Buffer {
  const payload = [uint(0xe7, start), ...blocks.map((tick) => element(0xa3, block(tick)))]
  return element(0x1f43b675, Buffer.concat(payload), size)
}

export function block(tick: number): Buffer {
  const header = Buffer.from([0x81, 0, 0, 0x80])
  header.writeInt16BE(tick, 1)
  return Buffer.concat([header, Buffer.alloc(50, 7)])
}
