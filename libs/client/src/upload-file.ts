import type { Connection } from './connection.ts'
import { UploadFailed } from './errors.ts'
import { mimeTypeOf } from './file-types.ts'
import type { Media, NewUpload, Upload } from './resources.ts'
import { waitBefore } from './retry-rules.ts'
import type { CallOptions } from './send.ts'

/** The time in which the storage takes the bytes (the upload window), for all tries together. */
const WINDOW_MS = 15 * 60_000

/** A path of this machine, or bytes with a name and a type. */
export type FileToUpload =
  | string
  | ({ data: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer } & Pick<
      NewUpload,
      'fileName' | 'mimeType'
    >)

type Steps = {
  connection: Connection
  createUpload: (body: NewUpload, options?: CallOptions) => Promise<Upload>
  complete: (id: string, options?: CallOptions) => Promise<Media>
}
type UploadOptions = CallOptions & { altText?: string }
type Bytes = { blob: Blob } & Pick<NewUpload, 'fileName' | 'mimeType'>

/** Makes the three steps of an upload. Each of them can be made again without harm. */
export async function uploadFile(
  { connection, createUpload, complete }: Steps,
  file: FileToUpload,
  { altText, signal, idempotencyKey }: UploadOptions = {},
): Promise<Media> {
  const { blob, fileName, mimeType } = await bytesOf(file)
  const abort = signal && { signal }
  const { media, upload } = await createUpload(
    { fileName, mimeType, fileSize: blob.size, ...(altText !== undefined && { altText }) },
    { ...abort, ...(idempotencyKey !== undefined && { idempotencyKey }) },
  )
  if (media.status === 'pending') await sendBytes(connection, { media, upload }, blob, signal)
  return complete(media.id, abort)
}

async function sendBytes(
  connection: Connection,
  { media, upload }: Pick<Upload, 'media' | 'upload'>,
  blob: Blob,
  abort: AbortSignal | undefined,
): Promise<void> {
  const window = AbortSignal.timeout(WINDOW_MS)
  const signal = abort ? AbortSignal.any([window, abort]) : window
  for (let tries = 1; ; tries += 1) {
    const outcome = await putOnce(connection, upload, blob, signal)
    abort?.throwIfAborted()
    // 412: the bytes of an earlier try are there. Whether they are the right ones is for `complete` to find out.
    if ('status' in outcome && (outcome.isSuccess || outcome.status === 412)) return
    const mayHelp = 'error' in outcome || outcome.status === 429 || outcome.status >= 500
    if (!mayHelp || tries > connection.maxRetries || window.aborted)
      throw uploadFailed(outcome, media.id)
    await connection.wait(waitBefore(tries, null, Math.random()), abort)
  }
}

type Put = { status: number; isSuccess: boolean } | { error: unknown }

async function putOnce(
  { fetch: put }: Connection,
  { url, headers }: Upload['upload'],
  blob: Blob,
  signal: AbortSignal,
): Promise<Put> {
  try {
    const response = await put(url, {
      method: 'PUT',
      headers: withoutLength(headers),
      body: blob,
      signal,
      // With both of these, and only then, Node's `fetch` does not keep a copy of all it sent for a second request.
      redirect: 'error',
      window: null,
    })
    await response.body?.cancel()
    return { status: response.status, isSuccess: response.ok }
  } catch (error) {
    return { error }
  }
}

/** The length is sent all the same: `fetch` adds it by itself, and would send it twice. */
function withoutLength(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length')
}

function uploadFailed(outcome: Put, mediaId: string): UploadFailed {
  if ('error' in outcome)
    return new UploadFailed('The storage cannot be reached.', {
      status: null,
      mediaId,
      cause: outcome.error,
    })
  const { status } = outcome
  return new UploadFailed(`The storage answered with status ${status}.`, { status, mediaId })
}

/** A file of this machine is not read into memory, but piece by piece as it is sent. */
async function bytesOf(file: FileToUpload): Promise<Bytes> {
  if (typeof file !== 'string')
    return { blob: new Blob([file.data]), fileName: file.fileName, mimeType: file.mimeType }
  // Loaded only here, so that the rest of the client also runs where there are no files.
  const fs = await import('node:fs')
  const path = await import('node:path')
  const fileName = path.basename(file)
  const mimeType = mimeTypeOf(fileName)
  // Tells why a file cannot be read, which `openAsBlob` does not.
  if (!(await fs.promises.stat(file)).isFile()) throw new TypeError(`${fileName} is not a file.`)
  return { blob: await fs.openAsBlob(file), fileName, mimeType }
}
