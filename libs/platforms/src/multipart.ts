import { randomUUID } from 'node:crypto'
import type { StreamedBody } from './http.ts'

/** A file as one part of a form. `name` and `fileName` are plain ASCII without quotes. */
export type FilePart = { name: string; fileName: string; mimeType: string; body: StreamedBody }

/**
 * A `multipart/form-data` body of text fields and one file after them. Its length is known before the file is read,
 * so that it can be sent while it is read.
 */
export function multipart(
  fields: Record<string, string>,
  file: FilePart,
): { contentType: string; body: StreamedBody } {
  const boundary = `herald-${randomUUID()}`
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`,
  )
  const fileHead = `${disposition(file.name)}; filename="${file.fileName}"\r\nContent-Type: ${file.mimeType}`
  const head = Buffer.from(`${texts.join('')}--${boundary}\r\n${fileHead}\r\n\r\n`)
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: head.length + file.body.length + tail.length,
      chunks: joined(head, file.body, tail),
    },
  }
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${name}"`
}

async function* joined(head: Buffer, { chunks }: StreamedBody, tail: Buffer) {
  yield head
  yield* chunks
  yield tail
}
