import { z } from 'zod'
import { sendFile } from '../file-upload.ts'
import { type HttpResponse, request } from '../http.ts'
import { multipart } from '../multipart.ts'
import type { NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { post } from './api.ts'
import { X_MEDIA_ERRORS } from './errors.ts'
import { Answer, waitUntilProcessed } from './processing.ts'
import { type Source, sourceOf } from './source.ts'
import { readStep, type Step, type Upload } from './step.ts'

const TIMEOUT_MS = 15_000
/** What a call brings of a file. X takes a thousand parts, and more than the largest file has. */
const PART_BYTES = 1024 * 1024

const GONE = 'X has lost an upload that was begun. It will be begun again.'

const Begun = z.object({
  data: z.object({ id: z.string().regex(/^\d{1,19}$/), media_key: z.string() }),
})

type Uploads = Step['uploads']
type Keep = (id: string, upload: Upload | undefined) => Promise<void>

/**
 * Uploads the files, one after the other, gives them their alt texts, and waits until X has processed them. Each part is
 * kept, and what an earlier call has kept is not done again. Rejects as reading the files does.
 */
export async function prepareMedia(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const uploads: Uploads = { ...readStep(input.step).uploads }
  const keep: Keep = async (id, upload) => {
    if (upload) uploads[id] = upload
    else delete uploads[id]
    await input.onStep?.({ uploads: { ...uploads } })
  }
  for (const file of input.media) {
    const problem =
      (await upload(input, file, uploads, keep)) ?? (await describe(input, file, uploads, keep))
    if (problem) return problem
  }
  for (const { id } of input.media) {
    const problem = await finish(input, id, uploads, keep)
    if (problem) return problem
  }
  return { outcome: 'ready', step: { uploads } }
}

async function upload(
  input: PrepareInput,
  file: PublishFile,
  uploads: Uploads,
  keep: Keep,
): Promise<NotPublished | undefined> {
  if (uploads[file.id]?.isWhole) return undefined
  const source = await sourceOf(file)
  const kept = uploads[file.id]
  // A picture may be made otherwise the next time, so that its parts do not belong together.
  const isResumed = kept !== undefined && file.type !== 'image'
  const begun = isResumed ? { outcome: 'begun' as const, upload: kept } : await begin(input, source)
  if (begun.outcome !== 'begun') return begun
  if (!isResumed) await keep(file.id, begun.upload)
  const sent = await sendParts(input, source, begun.upload, (done) => keep(file.id, done))
  // What was sent before may have expired, or its end may be done: X says neither, so it is begun again.
  if (!isResumed || sent?.outcome !== 'permanent') return sent
  await keep(file.id, undefined)
  return { outcome: 'transient', message: GONE }
}

async function begin(
  input: PrepareInput,
  { mimeType, category, sizeBytes }: Source,
): Promise<{ outcome: 'begun'; upload: Upload } | NotPublished> {
  const body = { media_type: mimeType, total_bytes: sizeBytes, media_category: category }
  const answer = await call(input, '/2/media/upload/initialize', body)
  if (answer.outcome !== 'answered') return answer
  const data = readJson(Begun, answer.response.text)?.data
  if (!data) return UNREADABLE
  const { id, media_key: key } = data
  const none = { sentBytes: 0, isWhole: false, isReady: false, isDescribed: false }
  return { outcome: 'begun', upload: { id, key, sizeBytes, ...none } }
}

async function sendParts(
  input: PrepareInput,
  source: Source,
  begun: Upload,
  keep: (upload: Upload) => Promise<void>,
): Promise<NotPublished | undefined> {
  let { sentBytes } = begun
  while (sentBytes < source.sizeBytes) {
    const end = Math.min(sentBytes + PART_BYTES, source.sizeBytes)
    const problem = await sendPart(input, begun.id, sentBytes, await source.read(sentBytes, end))
    if (problem) return problem
    sentBytes = end
    await keep({ ...begun, sentBytes })
  }
  const answer = await call(input, `/2/media/upload/${begun.id}/finalize`)
  if (answer.outcome !== 'answered') return answer
  const data = readJson(Answer, answer.response.text)?.data
  if (!data) return UNREADABLE
  await keep({ ...begun, sentBytes, isWhole: true, isReady: data.processing_info === undefined })
  return undefined
}

async function sendPart(
  input: PrepareInput,
  id: string,
  start: number,
  bytes: Uint8Array,
): Promise<NotPublished | undefined> {
  const form = multipart(
    { segment_index: String(start / PART_BYTES) },
    {
      name: 'media',
      fileName: 'part',
      mimeType: 'application/octet-stream',
      body: { length: bytes.length, chunks: one(bytes) },
    },
  )
  const { method, url, headers } = post(input, `/2/media/upload/${id}/append`)
  const sent = await sendFile(
    {
      method,
      url,
      headers: { ...headers, 'content-type': form.contentType },
      body: form.body,
      signal: input.signal,
    },
    'X',
  )
  if (sent.outcome !== 'answered') return sent
  return isGood(sent.response) ? undefined : refusal(sent.response)
}

/** X takes alt texts of pictures and GIFs. */
async function describe(
  input: PrepareInput,
  { id, type, altText }: PublishFile,
  uploads: Uploads,
  keep: Keep,
): Promise<NotPublished | undefined> {
  const uploaded = uploads[id]
  if (!uploaded || uploaded.isDescribed || !altText || type === 'video') return undefined
  const body = { id: uploaded.id, metadata: { alt_text: { text: altText } } }
  const answer = await call(input, '/2/media/metadata', body)
  if (answer.outcome !== 'answered') return answer
  await keep(id, { ...uploaded, isDescribed: true })
  return undefined
}

async function finish(
  input: PrepareInput,
  fileId: string,
  uploads: Uploads,
  keep: Keep,
): Promise<NotPublished | undefined> {
  const uploaded = uploads[fileId]
  if (!uploaded || uploaded.isReady) return undefined
  const state = await waitUntilProcessed(input, uploaded.id)
  if (state.outcome === 'processed') await keep(fileId, { ...uploaded, isReady: true })
  else if (state.outcome !== 'gone') return state
  else {
    await keep(fileId, undefined)
    return { outcome: 'transient', message: GONE }
  }
  return undefined
}

async function call(
  input: PrepareInput,
  path: string,
  body?: unknown,
): Promise<{ outcome: 'answered'; response: HttpResponse } | NotPublished> {
  const { signal } = input
  const result = await request({ ...post(input, path, body), timeoutMs: TIMEOUT_MS, signal })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'X'))
  return isGood(result) ? { outcome: 'answered', response: result } : refusal(result)
}

const UNREADABLE: NotPublished = {
  outcome: 'transient',
  message: 'X took a file, but its answer is not readable.',
}

function isGood({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299
}

function refusal(response: HttpResponse): NotPublished {
  return asPreparing(meaningOf(response, X_MEDIA_ERRORS, Date.now()))
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
