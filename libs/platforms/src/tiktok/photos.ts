import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type {
  CommitOutcome,
  ImageLimits,
  MediaFacts,
  NotPublished,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { callApi, dataOf } from './api.ts'
import { failureOf, TIKTOK_ERRORS } from './errors.ts'
import { fetchStatus, liveOf } from './status.ts'
import { type PhotoStep, readPhotoStep, urlsOf } from './step.ts'

const TIMEOUT_MS = 20_000
/** How long a commit waits for TikTok to publish. After that it is looked up by the id of the publishing. */
const PATIENCE_MS = 20_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 4_000
const LONG_SIDE = 1920
const SHORT_SIDE = 1080

const Begun = z.object({ publish_id: z.string().min(1) })

/** Has the pictures hosted in a form that TikTok takes. Rejects as `PublishFile.imageUrl` does. */
export async function preparePhotos(
  input: PrepareInput,
  begin: () => Promise<{ outcome: 'creator'; isCommentDisabled: boolean } | NotPublished>,
): Promise<PrepareResult> {
  const kept = readPhotoStep(input.step)
  if (kept && urlsOf(kept, input.media)) return { outcome: 'ready', step: kept }
  const begun = await begin()
  if (begun.outcome !== 'creator') return begun
  const { isCommentDisabled } = begun
  const urls = { ...kept?.urls }
  for (const file of input.media) {
    if (Object.hasOwn(urls, file.id)) continue
    const { url } = await file.imageUrl(limitsFor(file))
    urls[file.id] = url
    await input.onStep?.({ urls: { ...urls }, isCommentDisabled })
  }
  return { outcome: 'ready', step: { urls, isCommentDisabled } }
}

/** JPEG or WEBP of at most 20 MB and 1080p, upright or not. */
function limitsFor({ width, height }: Pick<MediaFacts, 'width' | 'height'>): ImageLimits {
  const isWide = (width ?? 0) > (height ?? 0)
  return {
    mimeTypes: ['image/jpeg', 'image/webp'],
    maxBytes: 20_000_000,
    maxWidth: isWide ? LONG_SIDE : SHORT_SIDE,
    maxHeight: isWide ? SHORT_SIDE : LONG_SIDE,
  }
}

/** Tells TikTok to fetch and publish the photos, and waits a while for what comes of it. */
export async function commitPhotos(
  input: PublishInput,
  info: Record<string, unknown>,
  step: PhotoStep,
): Promise<CommitOutcome> {
  const urls = urlsOf(step, input.media)
  if (!urls) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_HOSTED }
  const body = {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: info,
    source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: urls },
  }
  const result = await callApi(input, '/post/publish/content/init/', body, {
    timeoutMs: TIMEOUT_MS,
  })
  if (result.kind !== 'response') return meaningOfSilence(result, 'TikTok')
  const begun = dataOf(Begun, result)
  return begun
    ? await awaitPublished(input, { ...step, publishId: begun.publish_id })
    : meaningOf(result, TIKTOK_ERRORS, Date.now())
}

const NOT_HOSTED = 'A picture of the post was not prepared. Create the post again.'

async function awaitPublished(
  input: PublishInput,
  step: PhotoStep & { publishId: string },
): Promise<CommitOutcome> {
  const { publishId } = step
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const asked = await fetchStatus({ ...input, signal }, publishId)
    const status = 'known' in asked ? asked.known : undefined
    if (status?.status === 'PUBLISH_COMPLETE')
      return { outcome: 'published', ...liveOf(status, publishId, input, new Date()) }
    if (status?.status === 'FAILED') {
      const { errorCode, message, isPassing } = failureOf(status.fail_reason)
      return isPassing
        ? { outcome: 'transient', message }
        : { outcome: 'permanent', errorCode, message }
    }
    try {
      await wait(pauseMs, undefined, { signal })
    } catch {
      return {
        outcome: 'unknown',
        message: 'TikTok has the photos and is working on them.',
        isWorking: true,
        step,
      }
    }
  }
}
