import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable, RefusalRow } from '../refusal.ts'

const PinterestError = z.object({ code: z.number().optional(), message: z.string().optional() })

const permanent = (errorCode: string, message: string): RefusalRow['means'] => ({
  outcome: 'permanent',
  errorCode,
  message,
})

/** What Pinterest's refusals mean. Its codes are few and wide, so most rows go by the sentence. */
export const PINTEREST_ERRORS: ErrorTable = {
  name: 'Pinterest',
  read: (text) => {
    const error = readJson(PinterestError, text)
    return { code: error?.code?.toString(), message: error?.message }
  },
  rows: [
    {
      status: 401,
      means: {
        outcome: 'reauth',
        message: 'Pinterest does not accept the access token any more.',
      },
    },
    {
      status: 403,
      means: permanent(
        'missing_permission',
        'The account may not pin to this board, or the app may not pin for it. Check the board, or connect the channel again.',
      ),
    },
    {
      status: 404,
      says: /media/i,
      means: { outcome: 'unprepared', message: 'Pinterest no longer has the uploaded video.' },
    },
    {
      status: 404,
      means: permanent('board_not_found', 'The board does not exist any more. Choose another one.'),
    },
    {
      status: 400,
      says: /(unable|failed|could not|cannot) (to )?(reach|fetch|download|access)/i,
      means: {
        outcome: 'transient',
        message:
          'Pinterest could not fetch a picture. The files of Herald must be reachable from the internet.',
      },
    },
    {
      status: 400,
      says: /(not ready|still|being) process|not ready|media.*processing/i,
      means: { outcome: 'transient', message: 'Pinterest is still working on the video.' },
    },
    {
      status: 400,
      says: /\b(images?|cover|video|media)\b/i,
      means: permanent('media_unfit', 'Pinterest does not take a file of the pin.'),
    },
    {
      status: 400,
      says: /\blink\b|spam|blocked/i,
      means: permanent('invalid_link', 'Pinterest does not take the link of the pin.'),
    },
    {
      status: 400,
      says: /maxLength|too long/i,
      means: permanent('text_too_long', 'A text of the pin is longer than Pinterest allows.'),
    },
    {
      status: 413,
      means: permanent('too_large', 'The pin is larger than Pinterest allows.'),
    },
    {
      status: 429,
      means: {
        outcome: 'rate_limited',
        message: 'Pinterest takes no more pins from this account for now.',
      },
    },
  ],
}
