import { withFiles } from '../file-upload.ts'
import type {
  CommitOutcome,
  Connector,
  NotPublished,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { apiCall, callApi } from './api.ts'
import { choices } from './choices.ts'
import { PINTEREST_ERRORS } from './errors.ts'
import { identify } from './identify.ts'
import { hostImages } from './images.ts'
import { lookUp } from './look-up.ts'
import { freshToken, pinterestOAuth } from './oauth.ts'
import { bodyOf, createdAt, liveOf, Pin, readPin } from './pin.ts'
import { waitUntilProcessed } from './processing.ts'
import { readStep, type Step } from './step.ts'
import { uploadVideo } from './video.ts'

/** Pinterest fetches pictures while it answers the call. */
const COMMIT_TIMEOUT_MS = 30_000

/** Pinterest knows no repeated call; an unknown outcome is settled by looking through the board. */
export const pinterestConnector: Connector = {
  settles: 'lookup',
  identify,
  freshToken,
  prepare,
  commit,
  lookUp,
  choices,
  oauth: pinterestOAuth,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readPin(input)
  if (read.outcome !== 'read') return read
  const step = readStep(input.step)
  const [file] = input.media
  if (!file) return { outcome: 'permanent', errorCode: 'media_missing', message: NO_FILE }
  return await withFiles(async () => {
    if (file.type === 'video') return await prepareVideo(input, step)
    const images = step.images ?? (await hostImages(input.media))
    return { outcome: 'ready' as const, step: { images } }
  })
}

const NO_FILE = 'A pin needs a picture or a video.'

async function prepareVideo(
  input: PrepareInput,
  step: Step,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const video = step.video ?? (await upload(input))
  if ('outcome' in video) return video
  if (video.isProcessed) return { outcome: 'ready', step: { video } }
  const state = await waitUntilProcessed(input, video.mediaId)
  if (state.outcome === 'gone') {
    await input.onStep?.({})
    return { outcome: 'transient', message: 'Pinterest has lost the video. It is uploaded again.' }
  }
  if (state.outcome !== 'processed') return state
  const done = { video: { ...video, isProcessed: true } }
  await input.onStep?.(done)
  return { outcome: 'ready', step: done }
}

async function upload(input: PrepareInput): Promise<NonNullable<Step['video']> | NotPublished> {
  const [file] = input.media
  if (!file) return { outcome: 'permanent', errorCode: 'media_missing', message: NO_FILE }
  const sent = await uploadVideo(input, file)
  if (sent.outcome !== 'uploaded') return sent
  const video = { mediaId: sent.mediaId, isProcessed: false }
  await input.onStep?.({ video })
  return video
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readPin(input)
  if (read.outcome !== 'read') return read
  const body = bodyOf(input, read.options, readStep(input.step))
  if (!body)
    return {
      outcome: 'permanent',
      errorCode: 'media_missing',
      message: 'A file of the pin is not ready. Create the post again.',
    }
  const result = await callApi(input, apiCall(input, 'POST', '/pins', { body }), COMMIT_TIMEOUT_MS)
  if (result.kind !== 'response') return meaningOfSilence(result, 'Pinterest')
  if (result.status !== 201 && result.status !== 200)
    return meaningOf(result, PINTEREST_ERRORS, Date.now())
  const pin = readJson(Pin, result.text)
  return pin
    ? { outcome: 'published', ...liveOf(pin, input.settings, createdAt(pin) ?? Date.now()) }
    : { outcome: 'unknown', message: 'Pinterest took the pin, but its answer is not readable.' }
}
