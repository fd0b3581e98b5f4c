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
 * Cuts a stream of bytes into messages. What it returns takes the next bytes and yields the messages that they
 * complete. It throws when a message is too long or its head is no JSON, after the messages before that one; it is of
 * no use then.
 */
export function frameReader(options: {
  maxBodyBytes: number
}): (bytes: Buffer) => Generator<Frame, void, undefined> {
  let parts: Buffer[] = []
  let size = 0
  let needed = LENGTHS

  return function* read(bytes) {
    parts.push(bytes)
    size += bytes.length
    // Parts are joined only when enough are there, so that a long body is copied once.
    while (size >= needed) {
      const buffer = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const headBytes = buffer.readUInt32BE(0)
      const bodyBytes = buffer.readUInt32BE(4)
      if (headBytes > MAX_HEAD_BYTES || bodyBytes > options.maxBodyBytes) {
        throw new RangeError('A message of a media worker is too long.')
      }
      const headEnd = LENGTHS + headBytes
      const end = headEnd + bodyBytes
      const isComplete = buffer.length >= end
      parts = [isComplete ? buffer.subarray(end) : buffer]
      size = isComplete ? buffer.length - end : buffer.length
      needed = isComplete ? LENGTHS : end
      if (isComplete) {
        const head: unknown = JSON.parse(buffer.toString('utf8', LENGTHS, headEnd))
        yield { head, body: buffer.subarray(headEnd, end) }
      }
    }
  }
}
