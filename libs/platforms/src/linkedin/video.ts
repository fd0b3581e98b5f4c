import { z } from 'zod'
import type { NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { post } from './api.ts'
import { call, put, UNREADABLE } from './call.ts'
import type { Keep } from './media.ts'
import type { Upload } from './step.ts'

const Begun = z.object({
  value: z.object({
    video: z.string(),
    uploadToken: z.string().default(''),
    uploadInstructions: z
      .array(
        z.object({
          uploadUrl: z.url(),
          firstByte: z.int().nonnegative(),
          lastByte: z.int().nonnegative(),
        }),
      )
      .min(1),
  }),
})

const GONE = 'LinkedIn has lost an upload that was begun. It will be begun again.'

/** Sends a video in the parts that LinkedIn asks for, and tells it the names that it has given to them. */
export async function sendVideo(
  input: PrepareInput,
  file: PublishFile,
  { kept, keep }: { kept: Upload | undefined; keep: Keep },
): Promise<NotPublished | undefined> {
  const begun = kept ? { outcome: 'begun' as const, upload: kept } : await begin(input, file)
  if (begun.outcome !== 'begun') return begun
  if (!kept) await keep(begun.upload)
  const problem = await sendParts(input, file, begun.upload, keep)
  // The addresses expire, and an end may have been told already: LinkedIn says neither, so it is begun again.
  if (!kept || problem?.outcome !== 'permanent') return problem
  await keep(undefined)
  return { outcome: 'transient', message: GONE }
}

async function begin(
  input: PrepareInput,
  { sizeBytes }: PublishFile,
): Promise<{ outcome: 'begun'; upload: Upload } | NotPublished> {
  const request = {
    owner: input.account,
    fileSizeBytes: sizeBytes,
    uploadCaptions: false,
    uploadThumbnail: false,
  }
  const body = { initializeUploadRequest: request }
  const answer = await call(
    input,
    post(input, '/rest/videos', { action: 'initializeUpload' }, body),
  )
  if (answer.outcome !== 'answered') return answer
  const value = readJson(Begun, answer.response.text)?.value
  if (!value) return UNREADABLE
  const parts = value.uploadInstructions.map(({ uploadUrl, firstByte, lastByte }) => ({
    url: uploadUrl,
    first: firstByte,
    last: lastByte,
    etag: null,
  }))
  const { video: urn, uploadToken: token } = value
  return { outcome: 'begun', upload: { urn, token, parts, isWhole: false, isReady: false } }
}

async function sendParts(
  input: PrepareInput,
  file: PublishFile,
  begun: Upload,
  keep: Keep,
): Promise<NotPublished | undefined> {
  const parts = begun.parts.map((part) => ({ ...part }))
  for (const part of parts) {
    if (part.etag !== null) continue
    const bytes = await file.slice(part.first, part.last + 1)
    const body = { length: bytes.length, chunks: one(bytes) }
    const sent = await put(input, part.url, { mimeType: 'application/octet-stream', body })
    if (sent.outcome !== 'answered') return sent
    const { etag } = sent.response.headers
    if (!etag) return UNREADABLE
    part.etag = etag.replace(/^"(.*)"$/, '$1')
    await keep({ ...begun, parts: parts.map((done) => ({ ...done })) })
  }
  const finalizeUploadRequest = {
    video: begun.urn,
    uploadToken: begun.token,
    uploadedPartIds: parts.map(({ etag }) => etag),
  }
  const query = { action: 'finalizeUpload' }
  const ended = await call(input, post(input, '/rest/videos', query, { finalizeUploadRequest }))
  if (ended.outcome !== 'answered') return ended
  await keep({ ...begun, parts: [], isWhole: true })
  return undefined
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
