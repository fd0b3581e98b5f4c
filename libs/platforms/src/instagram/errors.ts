import { graphRows, readGraphError } from '../graph-errors.ts'
import type { NotPublished } from '../platform.ts'
import type { ErrorTable, Meaning, RefusalRow } from '../refusal.ts'

const AGAIN = /\/(2207003|2207020|2207027|2207032|2207052|2207053|2207082)\b/
const UNFIT = new Map([
  ['2207004', 'a picture is too large'],
  ['2207005', 'a picture has a format that is not taken'],
  ['2207009', 'a picture is too long or too wide'],
  ['2207023', 'a file is of a kind that is not taken'],
  ['2207026', 'a video has a format that is not taken'],
])

/** What the refusals of Instagram mean. Rows are looked at from the top; the rest is decided by the status. */
export const INSTAGRAM_ERRORS: ErrorTable = {
  name: 'Instagram',
  read: readGraphError,
  rows: [
    // A failure of Instagram's own, which may come after the post went live.
    {
      code: /\/2207001\b/,
      means: { outcome: 'unknown', message: 'Instagram had a problem of its own.' },
    },
    {
      code: /\/(2207006|2207008)\b/,
      means: {
        outcome: 'unprepared',
        message: 'Instagram does not know the files of the post any more.',
      },
    },
    {
      code: AGAIN,
      means: {
        outcome: 'transient',
        message: 'Instagram does not have the files of the post ready yet.',
      },
    },
    {
      code: /\/2207042\b/,
      means: {
        outcome: 'rate_limited',
        message: 'Instagram takes no more posts from this account within 24 hours.',
      },
    },
    {
      code: /\/(2207050|2207051)\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'account_suspended',
        message: 'Instagram has restricted the account. Look at its notices in the app.',
      },
    },
    {
      code: /\/2207010\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message:
          'The text has more characters, hashtags or mentions than Instagram takes. Shorten it.',
      },
    },
    {
      code: /\/2207028\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'media_mix',
        message: 'Instagram takes two to ten files together.',
      },
    },
    {
      code: /\/2207057\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'invalid_options',
        message: 'The cover of the reel is not within the video. Change coverOffsetMs.',
      },
    },
    ...Array.from(UNFIT.keys(), (subcode): RefusalRow => ({
      code: new RegExp(`/${subcode}\\b`),
      means: unfit(subcode),
    })),
    ...graphRows('Instagram'),
  ],
}

/** What it means that Instagram could not make a post of its files, by the subcode in the `status` of the container. */
export function meaningOfFailure(
  said: string,
): Extract<NotPublished, { outcome: 'permanent' | 'transient' }> {
  const subcode = /\b22\d{5}\b/.exec(said)?.[0]
  if (subcode !== undefined && UNFIT.has(subcode)) return unfit(subcode)
  return { outcome: 'transient', message: `Instagram could not process the post (${said}).` }
}

function unfit(subcode: string): Extract<Meaning, { outcome: 'permanent' }> {
  return {
    outcome: 'permanent',
    errorCode: 'media_unfit',
    message: `Instagram cannot use the files of the post: ${UNFIT.get(subcode)}.`,
  }
}
