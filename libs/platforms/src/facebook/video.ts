import type { FacebookOptions } from '@herald/contracts/options/facebook'
import { z } from 'zod'
import { clockAhead } from '../clock-ahead.ts'
import { graphCall } from '../graph.ts'
import type { CommitOutcome, LookUpInput, LookUpOutcome, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence, reason } from '../refusal.ts'
import { FACEBOOK_ERRORS } from './errors.ts'
import { stateOf, Video, VIDEO_FIELDS, type VideoState, waitForVideo } from './video-state.ts'

const COMMIT_TIMEOUT_MS = 30_000
/** How long a commit waits for the video to be processed; after it, it is looked up. */
const PATIENCE_MS = 15_000
const LIST_TIMEOUT_MS = 15_000
const CLOCK_TOLERANCE_MS = 5_000

const Made = z.object({ id: z.string().min(1) })

/** Has Facebook fetch and publish a video: the one call that makes it live, when it is processed. */
export async function postVideo(
  input: PublishInput,
  { title }: z.infer<typeof FacebookOptions>,
): Promise<CommitOutcome> {
  const fields = {
    file_url: input.media[0]?.url ?? '',
    ...(input.text !== '' && { description: input.text }),
    ...(title !== undefined && { title }),
    published: 'true',
  }
  const path = `/${input.account}/videos`
  const result = await graphCall(input, 'POST', path, fields, COMMIT_TIMEOUT_MS)
  if (result.kind !== 'response') return meaningOfSilence(result, 'Facebook')
  if (result.status !== 200) return meaningOf(result, FACEBOOK_ERRORS, Date.now())
  const id = readJson(Made, result.text)?.id
  if (id === undefined)
    return {
      outcome: 'unknown',
      message: 'Facebook took the video, but its answer is not readable.',
    }
  return await awaitLive(input, id)
}

/** What comes of a video that Facebook was told to publish. */
export async function awaitLive(input: PublishInput, id: string): Promise<CommitOutcome> {
  const isEnd = ({ state }: VideoState) => state === 'live' || state === 'failed'
  const told = await waitForVideo(input, id, PATIENCE_MS, isEnd)
  if (told.state === 'live') return { outcome: 'published', ...told.live }
  if (told.state === 'failed') return { outcome: 'permanent', ...failureOf(told) }
  return { outcome: 'unknown', message: 'Facebook is still working on the video.', isWorking: true }
}

export function failureOf({ message }: Extract<VideoState, { state: 'failed' }>) {
  return { errorCode: 'media_unfit', message: `Facebook cannot use the video: ${message}` }
}

/** Looks for the video among the Page's latest ones that are not older than the call, by its text. */
export async function lookUpVideo(input: LookUpInput): Promise<LookUpOutcome> {
  const path = `/${input.account}/videos`
  const fields = { fields: VIDEO_FIELDS, limit: '25' }
  const result = await graphCall(input, 'GET', path, fields, LIST_TIMEOUT_MS)
  if (result.kind !== 'response')
    return { cannotTell: `Facebook did not answer (${reason(result.error)}).` }
  const list = result.status === 200 && readJson(z.object({ data: z.array(Video) }), result.text)
  if (!list) return { cannotTell: `Facebook answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  const recent = list.data.filter(({ created_time: at }) => Date.parse(at ?? '') >= since)
  const [match, ...others] = recent.filter(
    ({ description }) => form(description) === form(input.text),
  )
  if (!match)
    return recent.length > 0 ? { cannotTell: 'The Page has other videos since.' } : { absent: true }
  if (others.length > 0) return { cannotTell: 'The Page has several videos with this text.' }
  return lookUpOf(stateOf(input, match))
}

/** What a video's state says of the call that was to publish it. */
export function lookUpOf(told: VideoState): LookUpOutcome {
  switch (told.state) {
    case 'live':
      return { found: told.live }
    case 'failed':
      return { refused: failureOf(told) }
    case 'uploaded':
      return { absent: true }
    case 'uploading':
    case 'working':
      return { pending: 'Facebook is still working on the video.' }
    case 'unclear':
      return { cannotTell: told.message }
  }
}

function form(text: string | null | undefined): string {
  return (text ?? '').normalize('NFC').replaceAll(/\s+/gu, ' ').trim()
}
