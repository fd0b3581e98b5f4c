import type { FacebookOptions } from '@herald/contracts/options/facebook'
import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { graphCall } from '../graph.ts'
import { request } from '../http.ts'
import type {
  CommitOutcome,
  LookUpInput,
  LookUpOutcome,
  NotPublished,
  Prepared,
  PrepareInput,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { FACEBOOK_ERRORS } from './errors.ts'
import { readStep, type Step } from './step.ts'
import { awaitLive, failureOf, lookUpOf } from './video.ts'
import { askVideo, type VideoState, waitForVideo } from './video-state.ts'

const START_TIMEOUT_MS = 15_000
/** Facebook may fetch the video before it answers. */
const UPLOAD_TIMEOUT_MS = 120_000
const COMMIT_TIMEOUT_MS = 30_000
const PATIENCE_MS = 5 * 60_000

const Started = z.object({ video_id: z.string().min(1), upload_url: z.string() })
const Success = z.object({ success: z.literal(true) })

/** Starts a reel, has Facebook fetch its video, and waits until it has. Nobody sees it until it is finished. */
export async function prepareReel(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const step = readStep(input.step)
  const keep = async () => await input.onStep?.(structuredClone(step))
  if (step.reel?.isFetched) return { outcome: 'ready', step }
  if (!step.reel) {
    const sent = await send(input)
    if (sent.outcome !== 'sent') return sent
    step.reel = { id: sent.id, isFetched: false }
    await keep()
  }
  const told = await waitForVideo(input, step.reel.id, PATIENCE_MS, hasFetched)
  if (told.state === 'uploaded' || told.state === 'working' || told.state === 'live') {
    step.reel.isFetched = true
    await keep()
    return { outcome: 'ready', step }
  }
  if (told.state !== 'failed') return putOff(told)
  delete step.reel
  await keep()
  return told.phase === 'upload'
    ? { outcome: 'transient', message: `Facebook could not fetch the video: ${told.message}` }
    : { outcome: 'permanent', ...failureOf(told) }
}

/** A refused token is no reason to go on asking. */
function hasFetched(told: VideoState): boolean {
  return told.state !== 'uploading' && (told.state !== 'unclear' || told.isDenied)
}

function putOff(told: VideoState): NotPublished {
  if (told.state !== 'unclear')
    return { outcome: 'transient', message: 'Facebook is still fetching the video.' }
  return { outcome: told.isDenied ? 'reauth' : 'transient', message: told.message }
}

/** What was begun and not sent to its end is left alone: nobody sees it, and nobody knows how far it came. */
async function send(input: PublishInput): Promise<{ outcome: 'sent'; id: string } | NotPublished> {
  const path = `/${input.account}/video_reels`
  const result = await graphCall(input, 'POST', path, { upload_phase: 'start' }, START_TIMEOUT_MS)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Facebook'))
  if (result.status !== 200) return asPreparing(meaningOf(result, FACEBOOK_ERRORS, Date.now()))
  const started = readJson(Started, result.text)
  const url = webAddress(started?.upload_url)
  if (!started || !url)
    return { outcome: 'transient', message: 'Facebook gave an answer that is not readable.' }
  return (await upload(input, url)) ?? { outcome: 'sent', id: started.video_id }
}

/** Tells where the video is, at the address that Facebook named for it. */
async function upload(
  { token, media, signal }: PublishInput,
  url: string,
): Promise<NotPublished | undefined> {
  const headers = { authorization: `OAuth ${token}`, file_url: media[0]?.url ?? '' }
  const timeoutMs = UPLOAD_TIMEOUT_MS
  const result = await request({ method: 'POST', url, headers, timeoutMs, signal })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Facebook'))
  if (result.status !== 200) return asPreparing(meaningOf(result, FACEBOOK_ERRORS, Date.now()))
  return readJson(Success, result.text)
    ? undefined
    : { outcome: 'transient', message: 'Facebook did not take the video.' }
}

/** Publishes the reel: the one call that makes it live, when it is processed. */
export async function finishReel(
  input: PublishInput & Prepared,
  { title }: z.infer<typeof FacebookOptions>,
): Promise<CommitOutcome> {
  const { reel } = readStep(input.step)
  if (!reel)
    return { outcome: 'permanent', errorCode: 'media_missing', message: 'The reel was not sent.' }
  const fields = {
    upload_phase: 'finish',
    video_id: reel.id,
    video_state: 'PUBLISHED',
    ...(input.text !== '' && { description: input.text }),
    ...(title !== undefined && { title }),
  }
  const path = `/${input.account}/video_reels`
  const result = await graphCall(input, 'POST', path, fields, COMMIT_TIMEOUT_MS)
  if (result.kind !== 'response') return meaningOfSilence(result, 'Facebook')
  if (result.status !== 200) return meaningOf(result, FACEBOOK_ERRORS, Date.now())
  if (!readJson(Success, result.text))
    return {
      outcome: 'unknown',
      message: 'Facebook took the reel, but its answer is not readable.',
    }
  return await awaitLive(input, reel.id)
}

/** The id of the reel is known before it is published, so its own state tells. */
export async function lookUpReel(input: LookUpInput): Promise<LookUpOutcome> {
  const { reel } = readStep(input.step)
  return reel ? lookUpOf(await askVideo(input, reel.id)) : { absent: true }
}
