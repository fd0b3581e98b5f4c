import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { reason } from '../refusal.ts'
import { callApi, dataOf } from './api.ts'
import { failureOf } from './errors.ts'
import { type Post, readPost } from './post.ts'
import { fetchStatus, isIncomplete, liveOf, type Status } from './status.ts'
import { readPhotoStep, readVideoStep } from './step.ts'

const TIMEOUT_MS = 15_000
const LIMIT = 20
const CLOCK_TOLERANCE_MS = 5_000
/** The pauses in which a public post that is published is waited for to get its id. */
const ID_PAUSES_MS = [1000, 2000, 4000]

/**
 * A post is settled by what TikTok says of its publishing. The id of that comes with the answer to the call that posts photos; where
 * the answer was lost, the creator's latest public posts are looked through.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const post = readPost(input)
  if (post.outcome !== 'read') return { cannotTell: post.message }
  if (post.kind === 'video') {
    const step = readVideoStep(input.step, post.file)
    return step ? await lookUpPublishing(input, post, step.publishId) : { absent: true }
  }
  const publishId = readPhotoStep(input.step)?.publishId
  const told = publishId && (await lookUpPublishing(input, post, publishId))
  return told && !('cannotTell' in told) ? told : await lookUpPhotos(input, post)
}

async function lookUpPublishing(
  input: LookUpInput,
  post: Post,
  publishId: string,
): Promise<LookUpOutcome> {
  const sizeBytes = post.kind === 'video' ? post.file.sizeBytes : 0
  const isPublic = post.options.privacyLevel === 'PUBLIC_TO_EVERYONE'
  for (const pauseMs of [...ID_PAUSES_MS, null]) {
    const asked = await fetchStatus(input, publishId)
    if ('unknown' in asked) return { cannotTell: asked.unknown }
    const { known } = asked
    if (known.status !== 'PUBLISH_COMPLETE') return judge(known, sizeBytes)
    const hasId = (known.publicaly_available_post_id?.length ?? 0) > 0
    const live = liveOf(known, publishId, input, new Date(input.calledAt))
    if (hasId || !isPublic || pauseMs === null || !(await waited(pauseMs, input.signal)))
      return { found: live }
  }
  return { cannotTell: 'TikTok was not asked.' }
}

function judge(status: Status, sizeBytes: number): LookUpOutcome {
  const { status: name } = status
  if (name === 'FAILED') {
    const { errorCode, message } = failureOf(status.fail_reason)
    return { refused: { errorCode, message } }
  }
  if (isIncomplete(status, sizeBytes)) return { absent: true }
  return { pending: `TikTok is still working on the post (${name}).` }
}

async function waited(pauseMs: number, signal: AbortSignal): Promise<boolean> {
  return await wait(pauseMs, true, { signal }).catch(() => false)
}

const Videos = z.object({
  videos: z.array(
    z.object({
      id: z.union([z.string(), z.number()]).transform(String),
      create_time: z.number(),
      title: z.string().nullish(),
      video_description: z.string().nullish(),
      share_url: z.string().nullish(),
    }),
  ),
})
type Video = z.infer<typeof Videos>['videos'][number]

/** Among the posts that are not older than the call: the only one with this text. Those not for everybody are not listed. */
async function lookUpPhotos(input: LookUpInput, { options }: Post): Promise<LookUpOutcome> {
  const query = { fields: 'id,create_time,title,video_description,share_url' }
  const more = { timeoutMs: TIMEOUT_MS, query }
  const result = await callApi(input, '/video/list/', { max_count: LIMIT }, more)
  if (result.kind !== 'response')
    return { cannotTell: `TikTok did not answer (${reason(result.error)}).` }
  const list = dataOf(Videos, result)
  if (!list) return { cannotTell: `TikTok answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  const recent = list.videos.filter((video) => (video.create_time + 1) * 1000 > since)
  const [match, ...others] = recent.filter((video) => saysTheSame(video, input.text))
  if (others.length > 0) return { cannotTell: 'The account has several posts with this text.' }
  if (match) return { found: liveAs(match, input) }
  return options.privacyLevel === 'PUBLIC_TO_EVERYONE'
    ? { absent: true }
    : { cannotTell: 'TikTok lists posts for everybody alone.' }
}

function saysTheSame({ title, video_description: description }: Video, text: string): boolean {
  const ours = sameForm(text)
  return ours !== '' && [title, description].some((said) => sameForm(said ?? '') === ours)
}

function sameForm(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim()
}

function liveAs({ id, create_time: at }: Video, input: LookUpInput) {
  const status = { status: 'PUBLISH_COMPLETE', publicaly_available_post_id: [id] }
  return liveOf(status, id, input, new Date(at * 1000))
}

/** How much later TikTok's clock is than this one, in milliseconds, by the date of its answer. */
function clockAhead(headers: Record<string, string>): number {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? 0 : date - Date.now()
}
