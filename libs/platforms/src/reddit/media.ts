import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { asImage, sendFile, type Upload as File, wholeFile } from '../file-upload.ts'
import { request } from '../http.ts'
import { multipart } from '../multipart.ts'
import type { ImageLimits, NotPublished, PrepareInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, type ErrorTable, meaningOf, meaningOfSilence } from '../refusal.ts'
import { apiHeaders, apiUrl, form } from './api.ts'
import { meaningOfRefusal } from './errors.ts'
import { posterOf } from './poster.ts'
import { readStep, type Step, type Upload } from './step.ts'

const TIMEOUT_MS = 15_000
const IMAGE_LIMITS: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png'],
  maxBytes: 20_000_000,
}
const ENDINGS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
}

/** The right to upload one file. `action` is an address without its scheme; `key` is among the fields. */
const Lease = z.object({
  args: z.object({
    action: z.string().min(1),
    fields: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  asset: z.object({ asset_id: z.string().min(1) }),
})
type Lease = z.infer<typeof Lease>

/**
 * Uploads the files that an earlier call has not kept, one after the other; a video with its poster. A right to upload
 * that was not used is worth nothing and is not kept. Rejects as reading the files does.
 */
export async function uploadMedia(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const step: Step = readStep(input.step)
  for (const file of input.media) {
    if (file.type === 'video' && !step.poster) {
      const sent = await upload(input, await posterOf(file, IMAGE_LIMITS))
      if (sent.outcome !== 'uploaded') return sent
      step.poster = sent.upload
      await input.onStep?.(structuredClone(step))
    }
    if (step.uploads[file.id]) continue
    const form = file.type === 'image' ? await asImage(file, IMAGE_LIMITS) : wholeFile(file)
    const sent = await upload(input, form)
    if (sent.outcome !== 'uploaded') return sent
    step.uploads[file.id] = sent.upload
    await input.onStep?.(structuredClone(step))
  }
  return { outcome: 'ready', step }
}

type Sent = { outcome: 'uploaded'; upload: Upload } | NotPublished

async function upload(input: PrepareInput, { mimeType, body }: File): Promise<Sent> {
  const fileName = `file.${ENDINGS[mimeType] ?? 'bin'}`
  const leased = await askForLease(input, fileName, mimeType)
  if (leased.outcome !== 'leased') return leased
  const { args, asset } = leased.lease
  const fields = Object.fromEntries(args.fields.map(({ name, value }) => [name, value]))
  // Reddit names the host alone; on a machine of one's own it has the scheme of the API.
  const action = new URL(args.action, input.settings['apiUrl']).href
  const { contentType, body: whole } = multipart(fields, { name: 'file', fileName, mimeType, body })
  const sent = await sendFile(
    {
      method: 'POST',
      url: action,
      headers: { 'content-type': contentType },
      body: whole,
      signal: input.signal,
    },
    'The file storage of Reddit',
  )
  if (sent.outcome !== 'answered') return sent
  const { status } = sent.response
  if (status < 200 || status > 299)
    return asPreparing(meaningOf(sent.response, STORAGE_ERRORS, Date.now()))
  const url = addressOf(action, `/${fields['key'] ?? ''}`)
  return { outcome: 'uploaded', upload: { assetId: asset.asset_id, url } }
}

async function askForLease(
  input: PrepareInput,
  filepath: string,
  mimetype: string,
): Promise<{ outcome: 'leased'; lease: Lease } | NotPublished> {
  const { contentType, body } = form({ filepath, mimetype })
  const result = await request({
    method: 'POST',
    url: apiUrl(input, '/api/media/asset.json'),
    headers: { ...apiHeaders(input), ...contentType },
    body,
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Reddit'))
  const lease = result.status === 200 ? readJson(Lease, result.text) : undefined
  if (lease && URL.canParse(lease.args.action, input.settings['apiUrl']))
    return { outcome: 'leased', lease }
  return asPreparing(meaningOfRefusal(result, Date.now()))
}

/** What refusals of Reddit's file storage mean, which speaks XML. A right to upload that is over is asked for anew. */
const STORAGE_ERRORS: ErrorTable = {
  name: 'The file storage of Reddit',
  read: (text) => ({
    code: /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1],
    message: /<Message>([^<]{1,300})<\/Message>/.exec(text)?.[1],
  }),
  rows: [
    {
      code: 'EntityTooLarge',
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'A file of the post is larger than Reddit allows.',
      },
    },
    {
      status: 403,
      means: { outcome: 'transient', message: 'The right to upload a file to Reddit was over.' },
    },
  ],
}
