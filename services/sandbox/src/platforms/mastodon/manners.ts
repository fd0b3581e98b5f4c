import type { Request } from 'express'
import { z } from 'zod'
import type { Answer, Manners } from '../../platform.ts'
import { createRateWindow, type RateState } from '../../rate-window.ts'
import type { Mastodon, Token } from './tables.ts'

const Grant = z.object({ code: z.string().optional(), token: z.string().optional() })

/** What is wrong, in the shape of Mastodon. */
export function failure(status: number, error: string): Answer {
  return { status, body: { error } }
}

/** The token of a call; it may be revoked. */
export function tokenOf({ tokens }: Mastodon, request: Request): Token | undefined {
  return tokens.get(/^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '')
}

/** Does the work for the account of the token, when the token is good and has one of the scopes. */
export function authorized(
  mastodon: Mastodon,
  scopes: string[],
  work: (account: string, request: Request) => Answer,
) {
  return (request: Request): Answer => {
    const token = tokenOf(mastodon, request)
    if (!token || token.revoked) return failure(401, 'The access token is invalid')
    if (!scopes.some((scope) => token.scopes.includes(scope)))
      return failure(403, 'This action is outside the authorized scopes')
    return work(token.account, request)
  }
}

/** Limits, headers and errors that all calls of Mastodon share. */
export function mastodonManners(mastodon: Mastodon): Manners {
  const { now } = mastodon.core.clock
  const countCall = createRateWindow(now, { calls: 300, windowMs: 5 * 60_000 })
  const countMedia = createRateWindow(now, { calls: 30, windowMs: 30 * 60_000 })
  return {
    platform: 'MASTODON',
    accountOf: (request) => accountOf(mastodon, request),
    admit({ account, on }) {
      if (account === null) return { headers: {} }
      const calls = countCall(account)
      const state = on === 'media' ? countMedia(account) : calls
      const refused = state.allowed && calls.allowed ? undefined : failure(429, 'Too many requests')
      return { headers: rateHeaders(state), refused }
    },
    serverError: () => failure(500, 'We are sorry, but something went wrong on our end'),
    authExpired: () => failure(401, 'The access token is invalid'),
    rateLimited: (resetMs) => ({
      ...failure(429, 'Too many requests'),
      headers: rateHeaders({
        allowed: false,
        limit: 300,
        windowMs: 5 * 60_000,
        remaining: 0,
        resetMs,
      }),
    }),
  }
}

function rateHeaders({ limit, remaining, resetMs }: RateState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': new Date(resetMs).toISOString(),
  }
}

/** Calls about a grant carry the code or the token in the body. */
function accountOf(mastodon: Mastodon, request: Request): string | null {
  const { codes, tokens } = mastodon
  const { code = '', token = '' } = Grant.safeParse(request.body).data ?? {}
  const granted = codes.get(code) ?? tokens.get(token)
  return tokenOf(mastodon, request)?.account ?? granted?.account ?? null
}
