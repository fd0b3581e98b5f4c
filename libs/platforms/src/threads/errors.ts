import { graphRows, readGraphError } from '../graph-errors.ts'
import type { NotPublished } from '../platform.ts'
import type { ErrorTable } from '../refusal.ts'

/** What the refusals of Threads mean. Rows are looked at from the top; the rest is decided by the status. */
export const THREADS_ERRORS: ErrorTable = {
  name: 'Threads',
  read: readGraphError,
  rows: [
    {
      // Also said of a container that other servers of Threads do not know yet.
      code: /\/4279009\b/,
      means: {
        outcome: 'unprepared',
        message: 'Threads does not know the post that was prepared.',
      },
    },
    {
      code: /\/(4279013|2207050|2207051)\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'account_suspended',
        message: 'Threads has restricted the account. Look at its notices in the app.',
      },
    },
    {
      code: /\/2207042\b/,
      means: {
        outcome: 'rate_limited',
        message: 'Threads takes no more posts from this account within 24 hours.',
      },
    },
    {
      says: /LINK_LIMIT_EXCEEDED/,
      means: {
        outcome: 'permanent',
        errorCode: 'too_many_links',
        message: 'The post links to more pages than Threads allows. Take some out.',
      },
    },
    {
      says: /at most 500 characters|too long/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message: 'The text is longer than Threads allows. Shorten it.',
      },
    },
    {
      code: /\/(2207052|2207003)\b/,
      means: { outcome: 'transient', message: 'Threads could not fetch a file of the post.' },
    },
    {
      code: /\/(2207004|2207005|2207009|2207023|2207026)\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'Threads does not take a file of the post: its size, format or shape.',
      },
    },
    ...graphRows('Threads'),
  ],
}

/** What it means that Threads could not make a post of its files, by the `error_message` of the container. */
export function meaningOfFailure(
  said: string,
): Extract<NotPublished, { outcome: 'permanent' | 'transient' }> {
  if (said === 'FAILED_DOWNLOADING_VIDEO')
    return { outcome: 'transient', message: 'Threads could not fetch a video of the post.' }
  const why = REASONS.get(said)
  if (why === undefined)
    return { outcome: 'transient', message: `Threads could not process the post (${said}).` }
  return {
    outcome: 'permanent',
    errorCode: 'media_unfit',
    message: `Threads cannot use a video of the post: ${why}.`,
  }
}

const REASONS = new Map([
  ['FAILED_PROCESSING_AUDIO', 'its sound cannot be processed'],
  ['FAILED_PROCESSING_VIDEO', 'it cannot be processed'],
  ['INVALID_ASPEC_RATIO', 'its shape is not taken'],
  ['INVALID_ASPECT_RATIO', 'its shape is not taken'],
  ['INVALID_BIT_RATE', 'its bit rate is too high'],
  ['INVALID_DURATION', 'it is longer than five minutes'],
  ['INVALID_FRAME_RATE', 'it does not have 23 to 60 frames a second'],
  ['INVALID_AUDIO_CHANNELS', 'its sound has more than two channels'],
  ['INVALID_AUDIO_CHANNEL_LAYOUT', 'its sound has a layout that is not taken'],
])
