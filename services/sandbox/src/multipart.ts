import busboy from 'busboy'
import type { RequestHandler } from 'express'

/** A file of a form. */
export type Upload = { bytes: Buffer; mimeType: string; tooLarge: boolean }

type Form = Record<string, string | string[] | Upload>

/**
 * Reads a multipart form into the body: texts as they are, a name that ends in `[]` as a list, files as `Upload`.
 * What is larger than the limit is cut off and marked. Other kinds of bodies are left alone.
 */
export function multipart(maxFileBytes: number): RequestHandler {
  return (request, _response, next) => {
    if (!request.is('multipart/form-data')) {
      next()
      return
    }
    const form: Form = {}
    const unreadable = (error: unknown) =>
      next(Object.assign(new Error(String(error)), { status: 400 }))
    try {
      const parser = busboy({ headers: request.headers, limits: { fileSize: maxFileBytes } })
      parser.on('field', (name, value) => addField(form, name, value))
      parser.on('file', (name, stream, { mimeType }) => {
        const pieces: Buffer[] = []
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        stream.on('close', () => {
          form[name] = {
            bytes: Buffer.concat(pieces),
            mimeType,
            tooLarge: stream.truncated === true,
          }
        })
      })
      parser.on('error', unreadable)
      parser.on('close', () => {
        request.body = form
        next()
      })
      request.pipe(parser)
    } catch (error) {
      unreadable(error)
    }
  }
}

function addField(form: Form, name: string, value: string): void {
  if (!name.endsWith('[]')) {
    form[name] = value
    return
  }
  const list = name.slice(0, -2)
  const known = form[list]
  form[list] = [...(Array.isArray(known) ? known : []), value]
}
