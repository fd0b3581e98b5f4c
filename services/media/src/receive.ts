import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** What has arrived: how many bytes, and their SHA-256 in hex. */
export type Received = { sizeBytes: number; sha256: string }

/**
 * Writes a stream to a new file, counting and hashing what passes. Before bytes are written beyond what `onBytes` has
 * agreed to, it is asked again with the new sum; what it throws ends the stream.
 */
export async function receive(
  body: Readable,
  path: string,
  onBytes: (sum: number) => Promise<void> = async () => {},
): Promise<Received> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  await pipeline(
    body,
    async function* count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length
        hash.update(chunk)
        await onBytes(sizeBytes)
        yield chunk
      }
    },
    createWriteStream(path, { flags: 'wx', mode: 0o644 }),
  )
  return { sizeBytes, sha256: hash.digest('hex') }
}
