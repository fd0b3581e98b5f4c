import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { checkUpload, type UploadRules } from './disk-upload-check.ts'
import { UploadRefused } from './upload-refused.ts'

/** Answers one request of node:http whose path is as the client sent it. Never throws. */
export type UploadHandler = (request: IncomingMessage, response: ServerResponse) => void

type Uploads = UploadRules & {
  has(key: string): Promise<boolean>
  /** Stores the body; false when `isNew` is asked for and there is an object. */
  store(key: string, body: Readable, length: number, options: { isNew: boolean }): Promise<boolean>
  onError(error: unknown): void
  /** How long a client that was refused may go on sending before it reads the answer. */
  lingerMs: number
}

/** What a folder lacks to take presigned PUTs: a handler that checks and stores them as an S3 server does. */
export function uploadHandler(uploads: Uploads): UploadHandler {
  return (request, response) => {
    // A client that goes away shows in the body as well.
    request.on('error', () => {})
    response.on('error', () => {})
    receive(uploads, request).then(
      () => response.writeHead(200, { 'Content-Length': '0' }).end(),
      (error: unknown) => {
        // What a client did wrong, or that it went away, is no news.
        const isOfClient = error instanceof UploadRefused || request.errored !== null
        if (!isOfClient) uploads.onError(error)
        refuse(response, refusalOf(error))
        linger(request, uploads.lingerMs)
      },
    )
  }
}

async function receive(uploads: Uploads, request: IncomingMessage): Promise<void> {
  const { key, length, isNew } = checkUpload(request, uploads)
  // Known before the body comes, so that it need not be sent in vain.
  if (isNew && (await uploads.has(key))) throw alreadyThere()
  if (!(await uploads.store(key, request, length, { isNew }))) throw alreadyThere()
}

function alreadyThere(): UploadRefused {
  return new UploadRefused(412, 'PreconditionFailed', 'There is an object at this address already.')
}

function refusalOf(error: unknown): UploadRefused {
  if (error instanceof UploadRefused) return error
  return new UploadRefused(500, 'InternalError', 'The object could not be stored.', {
    cause: error,
  })
}

/** All texts are fixed, so nothing that a client sent stands in the answer. */
function refuse(response: ServerResponse, { status, code, message }: UploadRefused): void {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>\n`
  response.writeHead(status, {
    'Content-Type': 'application/xml',
    'Content-Length': Buffer.byteLength(xml),
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 ? { Allow: 'PUT' } : {}),
  })
  response.end(xml)
}

/** A client reads the answer when it has sent its body. That is thrown away, but not for ever. */
function linger(request: IncomingMessage, ms: number): void {
  if (request.readableEnded || request.destroyed) return
  request.resume()
  const timer = setTimeout(() => request.destroy(), ms)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}
