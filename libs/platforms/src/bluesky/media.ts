import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { asImage, sendFile, wholeFile } from '../file-upload.ts'
import type { ImageLimits, NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf } from '../refusal.ts'
import { BLUESKY_MEDIA_ERRORS } from './errors.ts'
import { BlobRef, type Step, type UploadedFile } from './step.ts'

/** Every server takes pictures of a million bytes. Larger sides than these are of no use to the app. */
const IMAGE_LIMITS: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 1_000_000,
  maxWidth: 2000,
  maxHeight: 2000,
}

const Uploaded = z.object({ blob: BlobRef })

/**
 * Uploads the files that an earlier call has not kept, one after the other. The server keeps a blob that no record
 * refers to for an hour or longer. Rejects as reading the files does.
 */
export async function uploadMedia(
  input: PrepareInput,
  step: Step,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const files = { ...step.files }
  for (const file of input.media) {
    if (files[file.id]) continue
    const sent = await upload(input, file)
    if (sent.outcome !== 'uploaded') return sent
    files[file.id] = sent.file
    await input.onStep?.({ ...step, files: { ...files } })
  }
  return { outcome: 'ready', step: { ...step, files } }
}

async function upload(
  { baseUrl, token, signal }: PrepareInput,
  file: PublishFile,
): Promise<{ outcome: 'uploaded'; file: UploadedFile } | NotPublished> {
  const { mimeType, body, width, height } =
    file.type === 'video' ? wholeFile(file) : await asImage(file, IMAGE_LIMITS)
  const sent = await sendFile(
    {
      method: 'POST',
      url: addressOf(baseUrl, '/xrpc/com.atproto.repo.uploadBlob'),
      headers: { authorization: `Bearer ${token}`, 'content-type': mimeType },
      body,
      signal,
    },
    'Bluesky',
  )
  if (sent.outcome !== 'answered') return sent
  const { status, text } = sent.response
  if (status !== 200) return asPreparing(meaningOf(sent.response, BLUESKY_MEDIA_ERRORS, Date.now()))
  const blob = readJson(Uploaded, text)?.blob
  return blob?.size === body.length
    ? { outcome: 'uploaded', file: { blob, width, height } }
    : { outcome: 'transient', message: 'Bluesky took a file, but its answer is not readable.' }
}
