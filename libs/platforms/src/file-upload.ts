import { type HttpRequest, type HttpResponse, request, type StreamedBody } from './http.ts'
import {
  FileUnavailable,
  FileUnfit,
  type ImageLimits,
  type NotPublished,
  type PublishFile,
} from './platform.ts'
import { asPreparing, meaningOfSilence } from './refusal.ts'

/** The longest that an upload of no size takes, and the slowest line that is waited for: a megabit a second. */
const TIMEOUT_MS = 30_000
const BYTES_PER_MS = 125

/** A file in the form in which a platform gets it. Width and height are null where nobody knows them. */
export type Upload = {
  mimeType: string
  body: StreamedBody
  width: number | null
  height: number | null
}

/** A file as it is, read while it is sent. */
export function wholeFile(file: PublishFile): Upload {
  const { mimeType, width, height, sizeBytes } = file
  return { mimeType, width, height, body: { length: sizeBytes, chunks: bytesOf(file) } }
}

/** A file as a picture within a platform's limits. Rejects as `PublishFile.image` does. */
export async function asImage(file: PublishFile, limits: ImageLimits): Promise<Upload> {
  const { bytes, ...picture } = await file.image(limits)
  return { ...picture, body: asBody(bytes) }
}

/** Bytes that are at hand, as a body. */
export function asBody(bytes: Uint8Array): StreamedBody {
  return { length: bytes.length, chunks: oneChunk(bytes) }
}

/**
 * Makes the call that sends a file. Nothing is live after it, so without an answer it can be made again. Rejects with
 * `FileUnavailable` when the file fails while it is read.
 */
export async function sendFile(
  call: Omit<HttpRequest, 'timeoutMs' | 'body'> & { body: StreamedBody },
  name: string,
): Promise<{ outcome: 'answered'; response: HttpResponse } | NotPublished> {
  const timeoutMs = TIMEOUT_MS + Math.ceil(call.body.length / BYTES_PER_MS)
  const result = await request({ ...call, timeoutMs })
  if (result.kind === 'response') return { outcome: 'answered', response: result }
  if (result.error instanceof FileUnavailable) throw result.error
  return asPreparing(meaningOfSilence(result, name))
}

/** Does what reads a post's files. A file that cannot be had or made to fit becomes the outcome of the post. */
export async function withFiles<T>(work: () => Promise<T>): Promise<T | NotPublished> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileUnfit)
      return { outcome: 'permanent', errorCode: 'media_unfit', message: error.message }
    if (!(error instanceof FileUnavailable)) throw error
    const { message, retryable } = error
    return retryable
      ? { outcome: 'transient', message, isOwnFault: true }
      : { outcome: 'permanent', errorCode: 'media_missing', message }
  }
}

async function* bytesOf(file: PublishFile): AsyncGenerator<Uint8Array> {
  yield* await file.open()
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
