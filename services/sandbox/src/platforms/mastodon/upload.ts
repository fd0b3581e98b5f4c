import busboy from 'busboy'
import type { Request } from 'express'
import type { Upload } from './media.ts'

const LARGEST_FILE = 110 * 1024 * 1024

/** The file of a multipart request, and its description. */
export function readUpload(request: Request): Promise<Upload | undefined> {
  return new Promise((resolve, reject) => {
    let file: Omit<Upload, 'description'> | undefined
    let description: string | null = null
    const parser = busboy({
      headers: request.headers,
      limits: { fileSize: LARGEST_FILE, files: 1 },
    })
    parser.on('file', (name, stream, { mimeType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (name === 'file') file = { bytes: Buffer.concat(chunks), mimeType }
      })
    })
    parser.on('field', (name, value) => {
      if (name === 'description') description = value
    })
    parser.on('close', () => resolve(file && { ...file, description }))
    parser.on('error', reject)
    request.pipe(parser)
  })
}
