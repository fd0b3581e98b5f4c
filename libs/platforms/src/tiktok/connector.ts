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
import { callApi, dataOf, notBrought } from './api.ts'
import { Creator, CREATOR_PATH } from './creator.ts'
import { choices, identify, readLimits } from './identify.ts'
import { lookUp } from './look-up.ts'
import { freshToken, tiktokOAuth } from './oauth.ts'
import { commitPhotos, preparePhotos } from './photos.ts'
import { photoInfo, type Post, readPost, videoInfo } from './post.ts'
import { readPhotoStep, readVideoStep } from './step.ts'
import { commitVideo, prepareVideo } from './video.ts'

const TIMEOUT_MS = 15_000

/**
 * TikTok, by its Content Posting API. A video is sent in chunks, and published some time after the last one; photos are
 * fetched by TikTok when it is told to post them.
 */
export const tiktokConnector: Connector = {
  settles: 'twoPhase',
  identify,
  freshToken,
  readLimits,
  choices,
  oauth: tiktokOAuth,
  prepare,
  commit,
  lookUp,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const post = readPost(input)
  if (post.outcome !== 'read') return post
  return await withFiles(() =>
    post.kind === 'video'
      ? prepareVideo(input, post.file, async () => {
          const asked = await askCreator(input, post)
          if (asked.outcome !== 'creator') return asked
          const { comment_disabled: comment, duet_disabled: duet } = asked.creator
          const disabled = { comment, duet, stitch: asked.creator.stitch_disabled }
          return { outcome: 'info', info: videoInfo(input.text, post.options, disabled) }
        })
      : preparePhotos(input, async () => {
          const asked = await askCreator(input, post)
          if (asked.outcome !== 'creator') return asked
          return { outcome: 'creator', isCommentDisabled: asked.creator.comment_disabled }
        }),
  )
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const post = readPost(input)
  if (post.outcome !== 'read') return post
  return await withFiles(async () => {
    if (post.kind === 'video') {
      const step = readVideoStep(input.step, post.file)
      return step ? await commitVideo(input, post.file, step) : NOT_PREPARED
    }
    const step = readPhotoStep(input.step)
    if (!step) return NOT_PREPARED
    const info = photoInfo(input.text, post.options, { comment: step.isCommentDisabled })
    return await commitPhotos(input, info, step)
  })
}

const NOT_PREPARED: NotPublished = {
  outcome: 'permanent',
  errorCode: 'media_missing',
  message: 'The files of the post were not sent to TikTok. Create the post again.',
}

/** TikTok wants to be asked before each post what the creator may do; it also says when there were enough for a day. */
async function askCreator(
  input: PrepareInput,
  post: Post,
): Promise<{ outcome: 'creator'; creator: Creator } | NotPublished> {
  const result = await callApi(input, CREATOR_PATH, {}, { timeoutMs: TIMEOUT_MS })
  const creator = result.kind === 'response' ? dataOf(Creator, result) : undefined
  if (!creator) return notBrought(result)
  const { privacy_level_options: levels, max_video_post_duration_sec: maxSeconds } = creator
  if (!levels.includes(post.options.privacyLevel))
    return refuse('invalid_options', `The creator can choose ${levels.join(', ')} alone.`)
  const seconds = post.kind === 'video' ? (post.file.durationSeconds ?? 0) : 0
  return maxSeconds !== undefined && seconds > maxSeconds
    ? refuse(
        'media_unfit',
        `The video has ${seconds} seconds; this creator may have ${maxSeconds}.`,
      )
    : { outcome: 'creator', creator }
}

function refuse(errorCode: string, message: string): NotPublished {
  return { outcome: 'permanent', errorCode, message }
}
