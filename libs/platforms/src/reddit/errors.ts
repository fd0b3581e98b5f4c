import { z } from 'zod'
import type { HttpResponse } from '../http.ts'
import type { CommitOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { type ErrorTable, meaningOf, type RefusalRow } from '../refusal.ts'
import { LONGEST_WAIT_MS } from '../retry-at.ts'

/** How posting is refused: status 200 and a list of code, sentence and field. */
const Refused = z.object({
  json: z.object({
    errors: z.array(z.array(z.unknown())).min(1),
    /** Seconds to wait. */
    ratelimit: z.number().positive().optional().catch(undefined),
  }),
})

/** How everything else is refused. */
const HttpError = z.object({
  error: z.union([z.number(), z.string()]).optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
})

const permanent = (errorCode: string, message: string): RefusalRow['means'] => ({
  outcome: 'permanent',
  errorCode,
  message,
})
const notAllowed = permanent(
  'missing_permission',
  'The account may not post in this subreddit. It may be private, restricted, or have banned the account.',
)
const noSubreddit = permanent(
  'subreddit_not_found',
  'There is no subreddit of this name. Check `reddit.subreddit`.',
)
const wrongKind = permanent(
  'kind_not_allowed',
  'The subreddit does not take this kind of post. Its rules say whether it takes texts, links, pictures or videos.',
)
const badLink = permanent('invalid_link', 'Reddit does not take the link of the post.')
const tooOften: RefusalRow['means'] = {
  outcome: 'rate_limited',
  message: 'Reddit takes no more posts from this account for now.',
}
const reconnect: RefusalRow['means'] = {
  outcome: 'reauth',
  message: 'Reddit does not accept the access token any more.',
}

/** What Reddit's refusals mean. What a subreddit's own rules refuse is told in Reddit's words. */
export const REDDIT_ERRORS: ErrorTable = {
  name: 'Reddit',
  read: (text) => {
    const [code, message] = readJson(Refused, text)?.json.errors[0] ?? []
    if (typeof code === 'string')
      return { code, message: typeof message === 'string' ? message : undefined }
    const other = readJson(HttpError, text)
    return { code: other?.reason ?? undefined, message: other?.message ?? other?.reason }
  },
  rows: [
    { code: 'RATELIMIT', means: tooOften },
    { code: 'QUOTA_FILLED', means: tooOften },
    { code: 'SUBREDDIT_NOEXIST', means: noSubreddit },
    { code: 'SUBREDDIT_REQUIRED', means: noSubreddit },
    { code: 'SUBREDDIT_NOTALLOWED', means: notAllowed },
    ...['NO_SELFS', 'NO_LINKS', 'NO_VIDEOS', 'NO_IMAGES', 'NO_GALLERIES'].map((code) => ({
      code,
      means: wrongKind,
    })),
    { code: 'NO_TEXT', means: permanent('text_empty', 'Reddit refuses a post without a title.') },
    {
      code: 'TOO_LONG',
      means: permanent('text_too_long', 'The title or the text is longer than Reddit allows.'),
    },
    { code: 'NO_URL', means: badLink },
    { code: 'BAD_URL', means: badLink },
    {
      code: 'DOMAIN_BANNED',
      means: permanent('invalid_link', 'Reddit takes no links to this site.'),
    },
    {
      code: 'ALREADY_SUB',
      means: permanent('duplicate', 'This link has been posted in the subreddit already.'),
    },
    {
      code: 'SUBMIT_VALIDATION_FLAIR_REQUIRED',
      means: permanent(
        'flair_required',
        'The subreddit asks for a flair. Choose one of `GET /channels/{id}/options` as `reddit.flairId`.',
      ),
    },
    {
      code: 'MISSING_VIDEO_URLS',
      means: { outcome: 'unprepared', message: 'Reddit no longer has an uploaded file.' },
    },
    {
      code: 'IN_TIMEOUT',
      means: permanent('account_suspended', 'Reddit has suspended this account.'),
    },
    { code: 'USER_REQUIRED', means: reconnect },
    { status: 401, means: reconnect },
    { status: 403, means: notAllowed },
    { status: 404, means: noSubreddit },
    {
      status: 413,
      means: permanent('too_large', 'The post is larger than Reddit allows.'),
    },
    { status: 429, means: tooOften },
  ],
}

/** Whether an answer with status 200 is a refusal all the same. */
export function isRefusal(text: string): boolean {
  return readJson(Refused, text) !== undefined
}

/** What a refused post means. A refusal with status 200 is as definite as one with 400, and says itself how long to wait. */
export function meaningOfRefusal(
  response: HttpResponse,
  now: number,
): Exclude<CommitOutcome, { outcome: 'published' }> {
  const refused = readJson(Refused, response.text)
  const status = refused ? 400 : response.status
  const meaning = meaningOf({ ...response, status }, REDDIT_ERRORS, now)
  if (meaning.outcome !== 'rate_limited' || !refused) return meaning
  const waitMs =
    (refused.json.ratelimit ?? 0) * 1000 ||
    namedWait(REDDIT_ERRORS.read(response.text).message ?? '')
  return { ...meaning, retryAt: waitMs === 0 ? null : now + Math.min(waitMs, LONGEST_WAIT_MS) }
}

const UNITS_MS: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
}

/** The wait in `try again in 9 minutes`, in milliseconds; 0 when none is named. */
function namedWait(message: string): number {
  const [, count, unit] = /(\d{1,6}) (millisecond|second|minute|hour)s?\b/i.exec(message) ?? []
  return Number(count ?? 0) * (UNITS_MS[unit?.toLowerCase() ?? ''] ?? 0)
}
