import { z } from 'zod'
import { asBody, sendFile } from '../file-upload.ts'
import { type HttpResult, request } from '../http.ts'
import type {
  CommitOutcome,
  NotPublished,
  PrepareInput,
  PrepareResult,
  PublishFile,
  PublishInput,
} from '../platform.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { callApi, dataOf, notBrought } from './api.ts'
import { chunkHeaders, chunksIn, chunksOf, rangeOf } from './chunks.ts'
import { TIKTOK_ERRORS } from './errors.ts'
import { fetchStatus, isIncomplete } from './status.ts'
import { readVideoStep, type VideoStep } from './step.ts'

const INIT_TIMEOUT_MS = 30_000
const LAST_TIMEOUT_MS = 60_000

const Begun = z.object({ publish_id: z.string().min(1), upload_url: z.string() })

/**
 * Sends all of a video but its last chunk: TikTok publishes nothing before it has that. An upload that an earlier call
 * has begun goes on where TikTok says it stands. Rejects as reading the file does.
 */
export async function prepareVideo(
  input: PrepareInput,
  file: PublishFile,
  begin: () => Promise<{ outcome: 'info'; info: Record<string, unknown> } | NotPublished>,
): Promise<PrepareResult> {
  const kept = readVideoStep(input.step, file)
  const last = chunksOf(file.sizeBytes).count - 1
  if (kept && kept.sentChunks >= last) return { outcome: 'ready', step: kept }
  const opened = (kept && (await resume(input, file, kept))) ?? (await open(input, file, begin))
  if (opened.outcome !== 'open') return opened
  let { step } = opened
  while (step.sentChunks < last) {
    const problem = await sendChunk(input, file, step)
    if (problem) return problem
    step = { ...step, sentChunks: step.sentChunks + 1 }
    await input.onStep?.(step)
  }
  return { outcome: 'ready', step }
}

type Opened = { outcome: 'open'; step: VideoStep } | NotPublished

/** The upload that is under way, or undefined when it cannot go on. One that was left without its end is never published. */
async function resume(
  input: PrepareInput,
  file: PublishFile,
  step: VideoStep,
): Promise<Opened | undefined> {
  const asked = await fetchStatus(input, step.publishId)
  if ('known' in asked) {
    const { status, uploaded_bytes: bytes } = asked.known
    const sentChunks =
      status === 'PROCESSING_UPLOAD' ? chunksIn(bytes ?? 0, file.sizeBytes) : undefined
    return sentChunks === undefined ? undefined : { outcome: 'open', step: { ...step, sentChunks } }
  }
  const { result } = asked
  return isForgotten(result) ? undefined : notBrought(result)
}

async function open(
  input: PrepareInput,
  file: PublishFile,
  begin: Parameters<typeof prepareVideo>[2],
): Promise<Opened> {
  const begun = await begin()
  if (begun.outcome !== 'info') return begun
  const { count, chunkBytes } = chunksOf(file.sizeBytes)
  const body = {
    post_info: begun.info,
    source_info: {
      source: 'FILE_UPLOAD',
      video_size: file.sizeBytes,
      chunk_size: chunkBytes,
      total_chunk_count: count,
    },
  }
  const result = await callApi(input, '/post/publish/video/init/', body, {
    timeoutMs: INIT_TIMEOUT_MS,
  })
  const data = result.kind === 'response' ? dataOf(Begun, result) : undefined
  if (!data) return notBrought(result)
  const { publish_id: publishId, upload_url: uploadUrl } = data
  const step = readVideoStep({ fileId: file.id, publishId, uploadUrl, sentChunks: 0 }, file)
  if (!step) return { outcome: 'transient', message: 'TikTok named no address for the video.' }
  await input.onStep?.(step)
  return { outcome: 'open', step }
}

async function sendChunk(
  input: PrepareInput,
  file: PublishFile,
  { uploadUrl, sentChunks }: VideoStep,
): Promise<NotPublished | undefined> {
  const range = rangeOf(sentChunks, file.sizeBytes)
  const bytes = await file.slice(range.from, range.end)
  const sent = await sendFile(
    {
      method: 'PUT',
      url: uploadUrl,
      headers: chunkHeaders(file.mimeType, range, file.sizeBytes),
      body: { ...asBody(bytes), length: range.end - range.from },
      signal: input.signal,
    },
    'TikTok',
  )
  if (sent.outcome !== 'answered') return sent
  const { response } = sent
  if (response.status === 206) return undefined
  if (!isLost(response.status)) return asPreparing(meaningOf(response, TIKTOK_ERRORS, Date.now()))
  // The address has ended, or the upload is not where it was thought to be: it is begun anew.
  await input.onStep?.({})
  return { outcome: 'transient', message: 'TikTok has lost the upload. It will be made again.' }
}

function isLost(status: number): boolean {
  return [400, 403, 404, 410, 416].includes(status)
}

/** Sends the last chunk. TikTok then has the video and publishes it when it has looked at it. */
export async function commitVideo(
  input: PublishInput,
  file: PublishFile,
  step: VideoStep,
): Promise<CommitOutcome> {
  const range = rangeOf(chunksOf(file.sizeBytes).count - 1, file.sizeBytes)
  const bytes = await file.slice(range.from, range.end)
  if (bytes.length !== range.end - range.from)
    return { outcome: 'transient', message: 'The end of the video could not be read.' }
  const result = await request({
    method: 'PUT',
    url: step.uploadUrl,
    headers: chunkHeaders(file.mimeType, range, file.sizeBytes),
    body: bytes,
    timeoutMs: LAST_TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response') return meaningOfSilence(result, 'TikTok')
  if (result.status === 201)
    return {
      outcome: 'unknown',
      message: 'TikTok has the video and is working on it.',
      isWorking: true,
    }
  return isLost(result.status)
    ? await judgeLost(input, file, step)
    : meaningOf(result, TIKTOK_ERRORS, Date.now())
}

const LOST = 'TikTok no longer takes the upload of the video.'

/** An upload that TikTok says is not complete, or does not know any more, is certain to publish nothing. */
async function judgeLost(
  input: PublishInput,
  { sizeBytes }: PublishFile,
  { publishId }: VideoStep,
): Promise<CommitOutcome> {
  const asked = await fetchStatus(input, publishId)
  const isCertain =
    'known' in asked ? isIncomplete(asked.known, sizeBytes) : isForgotten(asked.result)
  return { outcome: isCertain ? 'unprepared' : 'unknown', message: LOST }
}

function isForgotten(result: HttpResult): boolean {
  return result.kind === 'response' && (result.status === 400 || result.status === 404)
}
