import { Readable } from 'node:stream'
import { FILE_TYPES } from '@herald/contracts/media'
import type { TotalLimits } from './check-total.ts'
import { asImage, type Upload, wholeFile } from './file-upload.ts'
import { type HttpRequest, type HttpResponse, request, type StreamedBody } from './http.ts'
import {
  type CommitOutcome,
  FileUnavailable,
  type ImageLimits,
  type MediaFacts,
  type PublishFile,
  type SizedImage,
} from './platform.ts'
import { meaningOfSilence } from './refusal.ts'

/** For a call that brings no file, and the slowest line that is waited for: a megabit a second. */
const TIMEOUT_MS = 30_000
const BYTES_PER_MS = 125

type Silence = Extract<CommitOutcome, { outcome: 'transient' | 'unknown' }>

/**
 * Makes the one call of a platform that takes the files with the post itself. As long as the end of the body has not
 * been given away the platform has no whole request, so a call that breaks before is certain to have done nothing.
 * Rejects with `FileUnavailable` when a file fails while it is read.
 */
export async function commitWithFiles(
  call: Omit<HttpRequest, 'timeoutMs' | 'body'> & { body: StreamedBody },
  name: string,
): Promise<{ outcome: 'answered'; response: HttpResponse } | Silence> {
  const sent = { isWhole: false }
  const body = { length: call.body.length, chunks: watch(call.body, sent) }
  const timeoutMs = TIMEOUT_MS + Math.ceil(body.length / BYTES_PER_MS)
  const result = await request({ ...call, body, timeoutMs })
  if (result.kind === 'response') return { outcome: 'answered', response: result }
  if (sent.isWhole) return meaningOfSilence(result, name)
  if (result.error instanceof FileUnavailable) throw result.error
  const { message } = meaningOfSilence(result, name)
  return { outcome: 'transient', message: `${message} The post had not been sent to its end.` }
}

/** How much longer the call takes than one without files, in milliseconds. */
export function timeToSend(media: readonly MediaFacts[], { maxTotalBytes }: TotalLimits): number {
  const bytes = media.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return Math.ceil(Math.min(bytes, maxTotalBytes) / BYTES_PER_MS)
}

async function* watch({ length, chunks }: StreamedBody, sent: { isWhole: boolean }) {
  let left = length
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left <= 0) sent.isWhole = true
    yield chunk
  }
}

/** The pictures as they were last made, so that preparing and the call that carries them convert them once. */
const lastMade = new WeakMap<PublishFile, { limits: string; image: Promise<SizedImage> }>()

/**
 * A file in the form in which a platform takes it: a picture within its limits, anything else as it is. Rejects as
 * `PublishFile.image` does.
 */
export async function fittedFile(file: PublishFile, limits: ImageLimits): Promise<Upload> {
  if (file.type !== 'image') return wholeFile(file)
  return await asImage({ ...file, image: (wanted) => makeOnce(file, wanted) }, limits)
}

function makeOnce(file: PublishFile, wanted: ImageLimits): Promise<SizedImage> {
  const limits = JSON.stringify(wanted)
  const made = lastMade.get(file)
  if (made?.limits === limits) return made.image
  const image = file.image(wanted)
  lastMade.set(file, { limits, image })
  // What failed may succeed the next time.
  image.catch(() => lastMade.delete(file))
  return image
}

/** A text as a body, for the same call without files. */
export function textBody(text: string): StreamedBody {
  const bytes = Buffer.from(text)
  return { length: bytes.length, chunks: Readable.from([bytes]) }
}

/** A name for a file of a form: plain ASCII, with the usual ending of its type. */
export function fileNameOf(stem: string, mimeType: string): string {
  const types: Record<string, { endings: readonly string[] } | undefined> = FILE_TYPES
  return `${stem}.${types[mimeType]?.endings[0] ?? 'bin'}`
}
