import { type HttpResult, jsonOf } from '../http.ts'
import type { NothingHappened } from '../platform.ts'
import { retryAt } from '../retry-at.ts'
import { ErrorBody } from './schemas.ts'

type Response = Extract<HttpResult, { kind: 'response' }>

/** What a definite refusal says, by its text: the code for programs and the sentence for the account's owner. */
const REFUSALS: [RegExp, string, string][] = [
  [/character limit/i, 'text_too_long', 'The text is longer than this Mastodon server allows.'],
  [/can't be blank/i, 'empty_post', 'Mastodon does not take an empty post.'],
  [/not finished processing/i, 'media_not_ready', 'Mastodon has not processed the media yet.'],
  [/login is currently disabled|suspended/i, 'account_disabled', 'The Mastodon account is disabled.'],
  [/outside the authorized scopes/i, 'scope_missing', 'The access token may not write posts. Connect the channel again.'],
]

/** What an answer that is no success means: nothing is live after a 4xx; undefined where nobody can know. */
export function refusalOf(response: Response, now: number): NothingHappened | undefined {
  const { status, headers } = response
  const said = ErrorBody.safeParse(jsonOf(response.text)).data?.error ?? `status ${status}`
  if (status === 401) return { outcome: 'reauth', message: `Mastodon refused the access: ${said}` }
  if (status === 429)
    return {
      outcome: 'rate_limited',
      retryAt: retryAt(now, [headers['retry-after'], headers['x-ratelimit-reset']]),
      message: 'Mastodon asks to wait before the next post.',
    }
  if (status < 400 || status >= 500 || status === 408) return undefined
  const known = REFUSALS.find(([pattern]) => pattern.test(said))
  return {
    outcome: 'permanent',
    errorCode: known?.[1] ?? 'platform_rejected',
    message: known?.[2] ?? `Mastodon refused the post: ${said}`,
  }
}
