import { randomUUID } from 'node:crypto'
import type { StreamedBody } from './http.ts'

/** A file as one part of a form. `name` and `fileName` are plain ASCII without quotes. */
export type FilePart = { name: string; fileName: string; mimeType: string; body: StreamedBody }

/**
 * A `multipart/form-data` body of text fields and the files after them. Its length is known before the files are read,
 * so that it can be sent while they are read.
 */
export function multipart(
  fields: Record<string, string>,
  ...files: FilePart[]
): { contentType: string; body: StreamedBody } {
  const boundary = `herald-${randomUUID()}`
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`,
  )
  const parts = files.map(({ name, fileName, mimeType, body }) => {
    const head = `${disposition(name)}; filename="${fileName}"\r\nContent-Type: ${mimeType}`
    return { head: Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), body }
  })
  const [head, tail] = [Buffer.from(texts.join('')), Buffer.from(`--${boundary}--\r\n`)]
  const sizes = parts.map((part) => part.head.length + part.body.length + CRLF.length)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: sizes.reduce((sum, size) => sum + size, head.length + tail.length),
      chunks: joined(head, parts, tail),
    },
  }
}

const CRLF = Buffer.from('\r\n')

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${name}"`
}

async function* joined(head: Buffer, parts: { head: Buffer; body: StreamedBody }[], tail: Buffer) {
  yield head
  for (const part of parts) {
    yield part.head
    yield* part.body.chunks
    yield CRLF
  }
  yield tail
}
