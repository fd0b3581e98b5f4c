import { withFiles } from '../file-upload.ts'
import type {
  CommitOutcome,
  Connector,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishFile,
  PublishInput,
} from '../platform.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { choices } from './choices.ts'
import { YOUTUBE_ERRORS } from './errors.ts'
import { identify, readLimits } from './identify.ts'
import { lookUp } from './look-up.ts'
import { readPost } from './metadata.ts'
import { freshToken, youtubeOAuth } from './oauth.ts'
import { sendLast, stateOf } from './session.ts'
import { readStep } from './step.ts'
import { prepareUpload } from './upload.ts'
import { liveOf, refusalOf, type Video } from './video.ts'

/** How often the rest of a last part is sent of which YouTube stored less. */
const ROUNDS = 3

/**
 * YouTube, by its resumable upload. There is a video once the last part is there; until then YouTube answers "308 Resume
 * Incomplete". The session of the upload tells at any time whether that happened.
 */
export const youtubeConnector: Connector = {
  settles: 'twoPhase',
  identify,
  freshToken,
  readLimits,
  choices,
  oauth: youtubeOAuth,
  prepare,
  commit,
  lookUp,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const post = readPost(input)
  if (post.outcome !== 'read') return post
  return await withFiles(() => prepareUpload(input, post.file, post.metadata))
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const post = readPost(input)
  if (post.outcome !== 'read') return post
  const step = readStep(input.step, post.file)
  if (!step) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  // A session that had the whole video before answers any part with it.
  const from = Math.min(step.storedBytes, post.file.sizeBytes - 1)
  return await withFiles(() => sendRest(input, step.session, post.file, from))
}

const NOT_UPLOADED = 'The video was not uploaded. Create the post again.'
const GONE = 'YouTube no longer has the upload of the video.'

/** Sends what is left. As long as YouTube says that the upload is not complete, there is certainly no video. */
async function sendRest(
  input: PublishInput,
  session: string,
  file: PublishFile,
  start: number,
): Promise<CommitOutcome> {
  const { sizeBytes } = file
  for (let round = 1, from = start; round <= ROUNDS; round += 1) {
    const bytes = await file.slice(from, sizeBytes)
    if (bytes.length !== sizeBytes - from)
      return { outcome: 'transient', message: 'The end of the video could not be read.' }
    const result = await sendLast(input, session, { from, sizeBytes, bytes })
    if (result.kind !== 'response') return meaningOfSilence(result, 'YouTube')
    const found = stateOf(result)
    switch (found.state) {
      case 'complete':
        return outcomeOf(found.video, input)
      case 'unreadable':
        return { outcome: 'unknown', message: 'YouTube took the video, but says it unreadably.' }
      case 'gone':
        return { outcome: 'unprepared', message: GONE }
      case 'refused':
        return meaningOf(found.response, YOUTUBE_ERRORS, Date.now())
      case 'partial':
        from = Math.min(found.storedBytes, sizeBytes - 1)
    }
  }
  return { outcome: 'transient', message: 'YouTube does not store the end of the video.' }
}

function outcomeOf(video: Video, { settings }: PublishInput): CommitOutcome {
  const refused = refusalOf(video)
  return refused
    ? { outcome: 'permanent', ...refused }
    : { outcome: 'published', ...liveOf(video, settings, new Date()) }
}
