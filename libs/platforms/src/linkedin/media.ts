import { z } from 'zod'
import { asImage, type Upload as Source, wholeFile } from '../file-upload.ts'
import type { ImageLimits, NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { post } from './api.ts'
import { call, put, UNREADABLE } from './call.ts'
import { waitUntilReady } from './processing.ts'
import { readStep, type Step, type Upload } from './step.ts'
import { sendVideo } from './video.ts'

/** LinkedIn counts pixels, and names no bytes; files of this size are taken for certain. */
const IMAGE_LIMITS: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png'],
  maxBytes: 5_000_000,
  maxPixels: 36_152_319,
}

const ImageBegun = z.object({ value: z.object({ uploadUrl: z.url(), image: z.string() }) })
const DocumentBegun = z.object({ value: z.object({ uploadUrl: z.url(), document: z.string() }) })

/** Keeps how far a file has come; undefined forgets it. */
export type Keep = (upload: Upload | undefined) => Promise<void>

/**
 * Uploads the files, one after the other, and waits until LinkedIn has processed them, as far as the account may ask. What
 * an earlier call has kept is not done again. Rejects as reading the files does.
 */
export async function prepareMedia(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const uploads: Step['uploads'] = { ...readStep(input.step).uploads }
  const keeping =
    (id: string): Keep =>
    async (upload) => {
      if (upload) uploads[id] = upload
      else delete uploads[id]
      await input.onStep?.({ uploads: { ...uploads } })
    }
  for (const file of input.media) {
    const kept = uploads[file.id]
    if (kept?.isWhole) continue
    const send = file.type === 'video' ? sendVideo : sendAtOnce
    const problem = await send(input, file, { kept, keep: keeping(file.id) })
    if (problem) return problem
  }
  for (const { id } of input.media) {
    const upload = uploads[id]
    if (!upload || upload.isReady) continue
    const state = await waitUntilReady(input, upload.urn)
    if (state.outcome !== 'processed') return state
    await keeping(id)({ ...upload, isReady: true })
  }
  return { outcome: 'ready', step: { uploads } }
}

/** Pictures and documents are sent in one piece. */
async function sendAtOnce(
  input: PrepareInput,
  file: PublishFile,
  { keep }: { keep: Keep },
): Promise<NotPublished | undefined> {
  const source = file.type === 'image' ? await asImage(file, IMAGE_LIMITS) : wholeFile(file)
  const begun = await begin(input, file.type === 'document' ? 'documents' : 'images')
  if (begun.outcome !== 'begun') return begun
  const sent = await put(input, begun.url, source satisfies Source)
  if (sent.outcome !== 'answered') return sent
  await keep({ urn: begun.urn, token: '', parts: [], isWhole: true, isReady: false })
  return undefined
}

async function begin(
  input: PrepareInput,
  kind: 'images' | 'documents',
): Promise<{ outcome: 'begun'; url: string; urn: string } | NotPublished> {
  const body = { initializeUploadRequest: { owner: input.account } }
  const answer = await call(
    input,
    post(input, `/rest/${kind}`, { action: 'initializeUpload' }, body),
  )
  if (answer.outcome !== 'answered') return answer
  const { text } = answer.response
  const image = readJson(ImageBegun, text)?.value
  const document = readJson(DocumentBegun, text)?.value
  const url = (image ?? document)?.uploadUrl
  const urn = image?.image ?? document?.document
  return url && urn ? { outcome: 'begun', url, urn } : UNREADABLE
}
