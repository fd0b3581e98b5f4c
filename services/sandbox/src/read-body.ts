import type { IncomingMessage } from 'node:http'

/** The whole body of a request; undefined when it is longer than `maxBytes`. What is too long is read all the same, so that the client hears the answer. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: Buffer = chunk
    size += bytes.length
    if (size <= maxBytes) chunks.push(bytes)
    else chunks.length = 0
  }
  return size <= maxBytes ? Buffer.concat(chunks) : undefined
}
