/**
 * Messages between a pool and its workers: the length of a JSON head, the length of a body, the head, the body. Node's
 * own channel for child processes is not used, because a line that is not JSON ends the parent there, and a line
 * without end fills its memory.
 */
export type Frame = { head: unknown; body: Buffer }

const LENGTHS = 8
const MAX_HEAD_BYTES = 256 * 1024

/** The bytes of one message. */
export function encodeFrame(head: unknown, body: Uint8Array = new Uint8Array(0)): Buffer {
  const json = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(LENGTHS)
  lengths.writeUInt32BE(json.length, 0)
  lengths.writeUInt32BE(body.length, 4)
  return Buffer.concat([lengths, json, body])
}

/**
 * Cuts a stream of bytes into messages. What it returns takes the next bytes and answers the messages they complete;
 * it throws when a message is too long or its head is no JSON, and is of no use after that.
 */
export function frameReader(options: { maxBodyBytes: number }): (bytes: Buffer) => Frame[] {
  let parts: Buffer[] = []
  let size = 0
  let needed = LENGTHS

  return (bytes) => {
    parts.push(bytes)
    size += bytes.length
    const frames: Frame[] = []
    // Parts are joined only when enough are there, so that a long body is copied once.
    while (size >= needed) {
      const buffer = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const headBytes = buffer.readUInt32BE(0)
      const bodyBytes = buffer.readUInt32BE(4)
      if (headBytes > MAX_HEAD_BYTES || bodyBytes > options.maxBodyBytes) {
        throw new RangeError('A message of a media worker is too long.')
      }
      const end = LENGTHS + headBytes + bodyBytes
      const isComplete = buffer.length >= end
      if (isComplete) {
        frames.push({
          head: JSON.parse(buffer.toString('utf8', LENGTHS, LENGTHS + headBytes)),
          body: buffer.subarray(LENGTHS + headBytes, end),
        })
      }
      parts = [isComplete ? buffer.subarray(end) : buffer]
      size = parts[0]?.length ?? 0
      needed = isComplete ? LENGTHS : end
    }
    return frames
  }
}
