import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { Complaint, ErrorTable, RefusalRow } from '../refusal.ts'

const Problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  type: z.string().optional(),
  errors: z
    .array(
      z.object({
        message: z.string().optional(),
        code: z.union([z.string(), z.number()]).nullish(),
      }),
    )
    .optional()
    .catch(undefined),
})

/** What X says: the last part of the problem's type as the code, and all of its words. */
export function readProblem(text: string): Complaint {
  const { title, detail, type, errors = [] } = readJson(Problem, text) ?? {}
  const words = [...errors.map(({ message }) => message), detail ?? title]
  return {
    code: type?.startsWith('http') ? type.split('/').at(-1) : undefined,
    message: words.filter(Boolean).join(' ') || undefined,
  }
}

const mayNot = (what: string, scope: string): RefusalRow['means'] => ({
  outcome: 'permanent',
  errorCode: 'missing_permission',
  message: `The X app may not ${what} for this account. It needs write access and the scope ${scope}: connect the channel again.`,
})
const capped: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'platform_quota',
  message:
    'The X app has used up what its plan pays for. Look at its usage in the X developer console.',
}

const COMMON: RefusalRow[] = [
  {
    status: 401,
    means: {
      outcome: 'reauth',
      message: 'X does not accept the access token any more. Connect the channel again.',
    },
  },
  {
    status: 403,
    code: 'unsupported-authentication',
    means: {
      outcome: 'reauth',
      message: 'X does not accept this kind of access token. Connect the channel again.',
    },
  },
  {
    status: 403,
    says: /suspended|temporarily locked|deactivated/i,
    means: {
      outcome: 'permanent',
      errorCode: 'account_suspended',
      message: 'The X account is suspended or locked. Log in to X to see why.',
    },
  },
  { status: 402, means: capped },
  { code: 'usage-capped', means: capped },
  {
    status: 429,
    means: { outcome: 'rate_limited', message: 'X takes no more from this account for now.' },
  },
]

/** What X's refusals of a post mean. Rows are looked at from the top; the rest is decided by the status. */
export const X_ERRORS: ErrorTable = {
  name: 'X',
  read: readProblem,
  rows: [
    ...COMMON,
    {
      status: 403,
      says: /duplicate content/i,
      means: {
        outcome: 'permanent',
        errorCode: 'duplicate',
        message:
          'X has a post with this content already. Look at the account, and change the text to post again.',
      },
    },
    {
      says: /text is too long|bit shorter/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message: 'The text is longer than X allows this account. Shorten it.',
      },
    },
    {
      status: 400,
      says: /media ids?\b.*\binvalid/i,
      means: {
        outcome: 'unprepared',
        message: 'X no longer has an uploaded file, or cannot use it.',
      },
    },
    { status: 403, code: 'client-forbidden', means: mayNot('post', 'tweet.write') },
    { status: 403, code: 'oauth1-permissions', means: mayNot('post', 'tweet.write') },
    { status: 403, says: /scope|oauth2? .*permission/i, means: mayNot('post', 'tweet.write') },
  ],
}

/** What refusals of a file mean: of a part of its upload, of its alt text. */
export const X_MEDIA_ERRORS: ErrorTable = {
  ...X_ERRORS,
  rows: [
    ...COMMON,
    { status: 403, means: mayNot('upload files', 'media.write') },
    {
      status: 400,
      says: /alt_?\s?text/i,
      means: {
        outcome: 'permanent',
        errorCode: 'alt_text_too_long',
        message: 'An alt text is longer than X allows: 1000 characters. Shorten it.',
      },
    },
    {
      status: 413,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'A file of the post is larger than X allows.',
      },
    },
    {
      status: 400,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'X does not take a file of the post: it is too large or of another type.',
      },
    },
  ],
}
