import type { Request } from 'express'
import type { Answer, Manners } from '../../platform.ts'
import { createRateWindow, type RateState } from '../../rate-window.ts'
import { type Claims, readJwt } from './jwt.ts'
import type { Bluesky } from './tables.ts'

const MINUTE_MS = 60_000
const CREATE_POINTS = 3

/** What is wrong, in the shape of XRPC. */
export function failure(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } }
}

/** What the token of a call says, expired or revoked or not. */
export function claimsOf({ secret }: Bluesky, request: Request): Claims | undefined {
  const token = bearerOf(request)
  return token === undefined ? undefined : readJwt(token, secret())
}

/** Does the work for the account of the access token, when that is good. */
export function authorized(bluesky: Bluesky, work: (did: string, request: Request) => Answer) {
  return (request: Request): Answer => {
    const refused = refusalOfToken(bluesky, request, 'com.atproto.appPass')
    if (refused) return refused
    return work(claimsOf(bluesky, request)?.sub ?? '', request)
  }
}

/** Why a token is not accepted; undefined for a good one. */
export function refusalOfToken(
  bluesky: Bluesky,
  request: Request,
  scope: Claims['scope'],
): Answer | undefined {
  if (bearerOf(request) === undefined) return failure(401, 'AuthMissing', 'Authentication Required')
  const claims = claimsOf(bluesky, request)
  const session = bluesky.sessions.get(claims?.sid ?? '')
  if (!claims || !session) return failure(400, 'InvalidToken', 'Token could not be verified')
  if (claims.scope !== scope) return failure(400, 'InvalidToken', 'Bad token scope')
  if (bluesky.core.clock.now() >= claims.exp * 1000)
    return failure(400, 'ExpiredToken', 'Token has expired')
  const used = scope === 'com.atproto.refresh' && claims.jti !== session.refreshId
  if (session.revoked || used) return failure(400, 'ExpiredToken', 'Token has been revoked')
  return undefined
}

/** The account that an identifier names: a did or a handle. */
export function findAccount({ accounts }: Bluesky, identifier: unknown) {
  const wanted = String(identifier).replace(/^@/, '').toLowerCase()
  return accounts.get(String(identifier)) ?? accounts.all().find(({ handle }) => handle === wanted)
}

/** Limits, headers and errors that all calls share. Real servers count reads by address; here it is by account. */
export function blueskyManners(bluesky: Bluesky): Manners {
  const { now } = bluesky.core.clock
  const countCall = createRateWindow(now, { calls: 3000, windowMs: 5 * MINUTE_MS })
  const countLogin = createRateWindow(now, { calls: 30, windowMs: 5 * MINUTE_MS })
  const countHour = createRateWindow(now, { calls: 5000, windowMs: 60 * MINUTE_MS })
  const countDay = createRateWindow(now, { calls: 35_000, windowMs: 1440 * MINUTE_MS })
  const accountOf = (request: Request): string | null => {
    if (!isLogin(request)) return claimsOf(bluesky, request)?.sub ?? null
    return findAccount(bluesky, request.body?.identifier)?.did ?? null
  }
  return {
    platform: 'BLUESKY',
    accountOf,
    admit({ request, account, on }) {
      if (account === null) return { headers: {} }
      const states = [countCall(account)]
      if (on === 'commit')
        states.unshift(countHour(account, CREATE_POINTS), countDay(account, CREATE_POINTS))
      if (isLogin(request)) states.unshift(countLogin(account))
      const state = states.find(({ allowed }) => !allowed) ?? states[0]
      return {
        headers: state ? rateHeaders(state) : {},
        refused: state?.allowed === false ? tooMany() : undefined,
      }
    },
    serverError: () => failure(500, 'InternalServerError', 'Internal Server Error'),
    authExpired: () => failure(400, 'ExpiredToken', 'Token has expired'),
    rateLimited: (resetMs) => ({
      ...tooMany(),
      headers: rateHeaders({
        allowed: false,
        limit: 5000,
        windowMs: 60 * MINUTE_MS,
        remaining: 0,
        resetMs,
      }),
    }),
  }
}

function isLogin(request: Request): boolean {
  return request.path.endsWith('.createSession')
}

function tooMany(): Answer {
  return failure(429, 'RateLimitExceeded', 'Rate Limit Exceeded')
}

function rateHeaders({ limit, windowMs, remaining, resetMs }: RateState): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.ceil(resetMs / 1000)),
    'ratelimit-policy': `${limit};w=${windowMs / 1000}`,
  }
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1]
}
