import { z } from 'zod'
import { sendFile, wholeFile } from '../file-upload.ts'
import { multipart } from '../multipart.ts'
import type { NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, type ErrorTable, meaningOf, meaningOfSilence } from '../refusal.ts'
import { apiCall, callApi } from './api.ts'
import { PINTEREST_ERRORS } from './errors.ts'

/** The right to upload one video: a form for S3. */
const Registered = z.object({
  media_id: z.string().min(1),
  upload_url: z.url(),
  upload_parameters: z.record(z.string(), z.string()),
})
type Registered = z.infer<typeof Registered>

/** Uploads a video; Pinterest then makes its own of it. Rejects as reading the file does. */
export async function uploadVideo(
  input: PrepareInput,
  file: PublishFile,
): Promise<{ outcome: 'uploaded'; mediaId: string } | NotPublished> {
  const registered = await register(input)
  if (registered.outcome !== 'registered') return registered
  const { media_id, upload_url, upload_parameters } = registered.media
  const { mimeType, body } = wholeFile(file)
  const fileName = mimeType === 'video/quicktime' ? 'video.mov' : 'video.mp4'
  const form = multipart(upload_parameters, { name: 'file', fileName, mimeType, body })
  const sent = await sendFile(
    {
      method: 'POST',
      url: upload_url,
      headers: { 'content-type': form.contentType },
      body: form.body,
      signal: input.signal,
    },
    'The file storage of Pinterest',
  )
  if (sent.outcome !== 'answered') return sent
  const { status } = sent.response
  return status >= 200 && status <= 299
    ? { outcome: 'uploaded', mediaId: media_id }
    : asPreparing(meaningOf(sent.response, STORAGE_ERRORS, Date.now()))
}

async function register(
  input: PrepareInput,
): Promise<{ outcome: 'registered'; media: Registered } | NotPublished> {
  const call = apiCall(input, 'POST', '/media', { body: { media_type: 'video' } })
  const result = await callApi(input, call)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Pinterest'))
  const isDone = result.status === 201 || result.status === 200
  const media = isDone ? readJson(Registered, result.text) : undefined
  return media
    ? { outcome: 'registered', media }
    : asPreparing(meaningOf(result, PINTEREST_ERRORS, Date.now()))
}

/** What refusals of Pinterest's file storage mean, which speaks XML. */
const STORAGE_ERRORS: ErrorTable = {
  name: 'The file storage of Pinterest',
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
        message: 'The video is larger than Pinterest allows.',
      },
    },
    {
      status: 403,
      means: {
        outcome: 'transient',
        message: 'The right to upload a video to Pinterest was over.',
      },
    },
  ],
}
