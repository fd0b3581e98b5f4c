import { z } from 'zod'
import { type HttpResult, jsonOf } from '../http.ts'
import type { NothingHappened } from '../platform.ts'
import { retryAt } from '../retry-at.ts'

type Response = Extract<HttpResult, { kind: 'response' }>

/** The body of every XRPC error. */
export const XrpcError = z.object({ error: z.string(), message: z.string().default('') })

/** Errors that say that the token or the account's login is not accepted. */
const REAUTH = new Set([
  'ExpiredToken',
  'InvalidToken',
  'AuthMissing',
  'AuthenticationRequired',
  'AuthFactorTokenRequired',
  'AccountTakedown',
])

/** What a definite refusal says: the code for programs and the sentence for the account's owner. */
const REFUSALS: [RegExp, string, string][] = [
  [/grapheme too big|longer than 300 graphemes/i, 'text_too_long', 'The text is longer than Bluesky allows.'],
  [/BlobNotFound/, 'media_missing', 'Bluesky no longer has the media of this post.'],
  [/too large|BlobTooLarge/i, 'media_too_large', 'A file is larger than Bluesky allows.'],
]

/** What an answer that is no success means: nothing is live after a 4xx; undefined where nobody can know. */
export function refusalOf(response: Response, now: number): NothingHappened | undefined {
  const { status, headers } = response
  const { error, message } = XrpcError.safeParse(jsonOf(response.text)).data ?? {
    error: '',
    message: `status ${status}`,
  }
  if (status === 429 || error === 'RateLimitExceeded')
    return {
      outcome: 'rate_limited',
      retryAt: retryAt(now, [headers['retry-after'], headers['ratelimit-reset']]),
      message: 'Bluesky asks to wait before the next post.',
    }
  if (status < 400 || status >= 500 || status === 408) return undefined
  if (status === 401 || REAUTH.has(error))
    return { outcome: 'reauth', message: `Bluesky refused the access: ${message || error}` }
  const known = REFUSALS.find(([pattern]) => pattern.test(`${error} ${message}`))
  return {
    outcome: 'permanent',
    errorCode: known?.[1] ?? 'platform_rejected',
    message: known?.[2] ?? `Bluesky refused the post: ${message || error}`,
  }
}
