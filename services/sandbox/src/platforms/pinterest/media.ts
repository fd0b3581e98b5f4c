import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { describe } from '../../fetch-file.ts'
import { randomText } from '../../random-text.ts'
import { readForm } from '../../read-form.ts'
import { readS3Form, s3Error } from '../../s3-form.ts'
import { authenticate } from './authenticate.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import type { Pinterest } from './server.ts'
import type { Media } from './state.ts'

const UPLOAD_MS = 3_600_000
const PROCESSING_MS = 1500
const VIDEO_BYTES = 2 * 1024 * 1024 * 1024
const FOLDER = 'uploads'

/** `POST /v5/media`: announces a video, and answers the form with which S3 takes it. */
export async function registerMedia(pinterest: Pinterest, call: Call): Promise<Answer> {
  const account = authenticate(pinterest, call, 'pins:read', 'pins:write')
  const type = z.object({ media_type: z.literal('video') })
  if (!type.safeParse((await readForm(call))?.fields).success)
    refuseInvalid("'media_type' is not one of ['video']")
  const media = {
    id: pinterest.newId(),
    accountId: account.id,
    policy: randomText(),
    uploadUntil: pinterest.now() + UPLOAD_MS,
  }
  pinterest.record({ type: 'media-registered', media })
  return jsonAnswer(201, {
    media_id: media.id,
    media_type: 'video',
    upload_url: `${pinterest.baseUrl()}/storage`,
    upload_parameters: {
      key: `${FOLDER}/${media.id}`,
      policy: media.policy,
      'Content-Type': 'multipart/form-data',
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    },
  })
}

/** The storage that Pinterest leads uploads to: takes the parameters and the file after them. */
export async function storeVideo(pinterest: Pinterest, call: Call): Promise<Answer> {
  const form = await readS3Form(call, ['key', 'policy', 'x-amz-algorithm'])
  if ('refusal' in form) return form.refusal
  const { fields, file } = form
  const media = mediaOfKey(pinterest, fields['key'])
  if (!media || fields['policy'] !== media.policy)
    return s3Error(403, 'AccessDenied', 'Invalid according to Policy: Policy Condition failed')
  if (media.uploadUntil <= pinterest.now())
    return s3Error(403, 'AccessDenied', 'Invalid according to Policy: Policy expired.')
  const { length: sizeBytes } = file.bytes
  if (sizeBytes > VIDEO_BYTES)
    return s3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
  const { mimeType, width, height } = describe(file.bytes, file.mimeType)
  const sha256 = pinterest.files.put(file.bytes)
  pinterest.record({
    type: 'media-uploaded',
    id: media.id,
    file: { mimeType, sizeBytes, sha256, width, height },
    readyAt: pinterest.now() + PROCESSING_MS,
  })
  return { status: 204, headers: {}, body: '' }
}

/** Whose video a call to the storage brings. */
export async function accountOfUpload(
  pinterest: Pinterest,
  call: Call,
): Promise<string | undefined> {
  const key = (await readForm(call))?.fields['key']
  return mediaOfKey(pinterest, String(key))?.accountId
}

/** `GET /v5/media/:id` */
export function showMedia(pinterest: Pinterest, call: Call): Answer {
  const account = authenticate(pinterest, call, 'pins:read')
  const media = pinterest.state.media.get(call.params['id'] ?? '')
  if (media?.accountId !== account.id) refuse(404, 50, 'Media not found.')
  return jsonAnswer(200, {
    media_id: media.id,
    media_type: 'video',
    status: statusOf(pinterest, media),
  })
}

/** What came of a video; one that is no video, or holds none, fails in the end. */
export function statusOf(
  { now }: Pinterest,
  { file, readyAt = 0 }: Media,
): 'registered' | 'processing' | 'succeeded' | 'failed' {
  if (!file) return 'registered'
  if (readyAt > now()) return 'processing'
  return file.mimeType.startsWith('video/') && file.width !== null ? 'succeeded' : 'failed'
}

function mediaOfKey({ state }: Pinterest, key: string | undefined): Media | undefined {
  return state.media.get((key ?? '').replace(`${FOLDER}/`, ''))
}
