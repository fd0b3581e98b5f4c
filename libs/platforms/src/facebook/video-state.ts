import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { graphCall } from '../graph.ts'
import type { Live, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence, oneLine } from '../refusal.ts'
import { FACEBOOK_ERRORS } from './errors.ts'
import { linkTo } from './step.ts'

const ASK_TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export const VIDEO_FIELDS = 'id,description,created_time,permalink_url,status'

const Phase = z.object({
  status: z.string().nullish(),
  publish_status: z.string().nullish(),
  error: z.object({ message: z.string().nullish() }).nullish(),
  errors: z.array(z.object({ message: z.string().nullish() })).nullish(),
})

/** A video or reel as the Graph API tells it. */
export const Video = z.object({
  id: z.string().min(1),
  description: z.string().nullish(),
  created_time: z.string().nullish(),
  permalink_url: z.string().nullish(),
  status: z.object({
    video_status: z.string().nullish(),
    uploading_phase: Phase.nullish(),
    processing_phase: Phase.nullish(),
    publishing_phase: Phase.nullish(),
  }),
})
export type Video = z.infer<typeof Video>

/** `uploaded`: Facebook has it and was not told to publish it. */
export type VideoState =
  | { state: 'uploading' | 'uploaded' | 'working' }
  | { state: 'live'; live: Live }
  | { state: 'failed'; phase: 'upload' | 'processing'; message: string }
  | { state: 'unclear'; message: string; isDenied: boolean }

/** What a video's phases come to. */
export function stateOf(input: PublishInput, video: Video): VideoState {
  const { video_status: whole, ...phases } = video.status
  const {
    uploading_phase: uploading,
    processing_phase: processing,
    publishing_phase: publishing,
  } = phases
  if (uploading?.status === 'error' || whole === 'upload_failed' || whole === 'expired')
    return { state: 'failed', phase: 'upload', message: saidIn(uploading) }
  if (processing?.status === 'error' || publishing?.status === 'error' || whole === 'error')
    return { state: 'failed', phase: 'processing', message: saidIn(processing ?? publishing) }
  const isOut = publishing ? publishing.status === 'complete' : whole === 'ready'
  if (isOut && publishing?.publish_status !== 'draft')
    return { state: 'live', live: liveOf(input, video) }
  if (whole === 'uploading' && uploading?.status !== 'complete') return { state: 'uploading' }
  return whole === 'upload_complete' || uploading?.status === 'complete'
    ? {
        state:
          publishing?.status === 'in_progress' || whole === 'processing' ? 'working' : 'uploaded',
      }
    : { state: 'working' }
}

function saidIn(phase: z.infer<typeof Phase> | null | undefined): string {
  return oneLine(phase?.error?.message || phase?.errors?.[0]?.message || 'no reason given')
}

function liveOf(input: PublishInput, { id, permalink_url, created_time }: Video): Live {
  const at = Date.parse(created_time ?? '')
  return {
    platformPostId: id,
    url: linkTo(input, permalink_url, `/${input.account}/videos/${id}/`),
    publishedAt: new Date(Number.isNaN(at) ? Date.now() : at).toISOString(),
  }
}

/** How a video stands now. */
export async function askVideo(input: PublishInput, id: string): Promise<VideoState> {
  const fields = { fields: VIDEO_FIELDS }
  const result = await graphCall(input, 'GET', `/${id}`, fields, ASK_TIMEOUT_MS)
  if (result.kind !== 'response')
    return { state: 'unclear', isDenied: false, ...meaningOfSilence(result, 'Facebook') }
  const video = result.status === 200 ? readJson(Video, result.text) : undefined
  if (video) return stateOf(input, video)
  const meaning = meaningOf(result, FACEBOOK_ERRORS, Date.now())
  return { state: 'unclear', isDenied: meaning.outcome === 'reauth', message: meaning.message }
}

/** Asks, less and less often, until the state is one that is waited for or the patience is over. */
export async function waitForVideo(
  input: PublishInput,
  id: string,
  patienceMs: number,
  isEnd: (state: VideoState) => boolean,
): Promise<VideoState> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(patienceMs)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = await askVideo(input, id)
    if (isEnd(state)) return state
    try {
      await wait(pauseMs, undefined, { signal })
    } catch {
      return state
    }
  }
}
