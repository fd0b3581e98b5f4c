import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { asImage, sendFile, wholeFile } from '../file-upload.ts'
import { multipart } from '../multipart.ts'
import type { NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf } from '../refusal.ts'
import { MASTODON_MEDIA_ERRORS } from './errors.ts'
import { imageLimitsOf, type MediaLimits, readMediaLimits, requireFit } from './media-limits.ts'
import { waitUntilProcessed } from './processing.ts'

/** A file as the instance knows it, and whether a status can have it already. */
const Upload = z.object({ id: z.string().min(1), isProcessed: z.boolean() })
type Upload = z.infer<typeof Upload>

/** What `prepare` leaves for `commit`: what the instance made of each file, by Herald's id of it. */
export const Step = z.object({ uploads: z.record(z.string(), Upload).default({}) })
export type Step = z.infer<typeof Step>

const Attachment = z.object({ id: z.string().min(1) })

/**
 * Uploads the files, one after the other, and waits until the instance has processed them. Each upload is kept, and
 * those that an earlier call has kept are not made again. Rejects as reading the files does.
 */
export async function prepareMedia(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const uploads = { ...readStep(input.step).uploads }
  const problem = (await uploadMissing(input, uploads)) ?? (await processAll(input, uploads))
  return problem ?? { outcome: 'ready', step: { uploads } }
}

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? { uploads: {} }
}

async function uploadMissing(
  input: PrepareInput,
  uploads: Step['uploads'],
): Promise<NotPublished | undefined> {
  const missing = input.media.filter(({ id }) => !uploads[id])
  if (missing.length === 0) return undefined
  const limits = await readMediaLimits(input)
  for (const file of missing) {
    const uploaded = await upload(input, file, limits)
    if (uploaded.outcome !== 'uploaded') return uploaded
    uploads[file.id] = uploaded.upload
    await input.onStep?.({ uploads: { ...uploads } })
  }
  return undefined
}

/** Images are ready with their upload; of videos and sound the instance first makes its own. */
async function upload(
  { baseUrl, token, signal }: PrepareInput,
  file: PublishFile,
  limits: MediaLimits,
): Promise<{ outcome: 'uploaded'; upload: Upload } | NotPublished> {
  if (file.type !== 'image') requireFit(file, limits)
  const { mimeType, body } =
    file.type === 'image' ? await asImage(file, imageLimitsOf(limits)) : wholeFile(file)
  const fileName = `file.${mimeType.split('/')[1] ?? ''}`
  const form = multipart(file.altText === null ? {} : { description: file.altText }, {
    name: 'file',
    fileName,
    mimeType,
    body,
  })
  const sent = await sendFile(
    {
      method: 'POST',
      url: addressOf(baseUrl, '/api/v2/media'),
      headers: { authorization: `Bearer ${token}`, 'content-type': form.contentType },
      body: form.body,
      signal,
    },
    'Mastodon',
  )
  if (sent.outcome !== 'answered') return sent
  const { status, text } = sent.response
  if (status !== 200 && status !== 202)
    return asPreparing(meaningOf(sent.response, MASTODON_MEDIA_ERRORS, Date.now()))
  const id = readJson(Attachment, text)?.id
  return id === undefined
    ? { outcome: 'transient', message: 'Mastodon took a file, but its answer is not readable.' }
    : { outcome: 'uploaded', upload: { id, isProcessed: status === 200 } }
}

async function processAll(
  input: PrepareInput,
  uploads: Step['uploads'],
): Promise<NotPublished | undefined> {
  for (const { id: fileId } of input.media) {
    const uploaded = uploads[fileId]
    if (!uploaded || uploaded.isProcessed) continue
    const { id } = uploaded
    const state = await waitUntilProcessed(input, id)
    if (state.outcome === 'gone') delete uploads[fileId]
    else if (state.outcome === 'processed') uploads[fileId] = { id, isProcessed: true }
    else return state
    await input.onStep?.({ uploads: { ...uploads } })
    if (state.outcome === 'gone') return { outcome: 'transient', message: GONE }
  }
  return undefined
}

const GONE = 'Mastodon has lost an uploaded file. It will be uploaded again.'
