import { z } from 'zod'
import type { Call } from '../../call.ts'
import { openRateWindow, tightest, type Used } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { peekInput } from './input.ts'
import { errorAnswer } from './refusals.ts'

const XRPC = '/xrpc/'
const WRITE_POINTS: Record<string, number> = {
  'com.atproto.repo.createRecord': 3,
  'com.atproto.repo.putRecord': 2,
}

/** Bluesky's limits: calls by address, logins by identifier, and points for writing by account. */
export function openMeter(world: World) {
  const open = (limit: number, windowSeconds: number) =>
    openRateWindow(world, { limit, windowSeconds, isAligned: false })
  const calls = open(3000, 300)
  const logins = [open(30, 300), open(300, 86_400)]
  const writes = [open(5000, 3600), open(35_000, 86_400)]
  return (call: Call, operation: Operation, account: string | undefined): Metered => {
    if (!operation.path.startsWith(XRPC)) return { headers: {} }
    const method = operation.path.slice(XRPC.length)
    const points = account === undefined ? 0 : (WRITE_POINTS[method] ?? 0)
    const isLogin = method === 'com.atproto.server.createSession'
    const used = tightest([
      calls.use(call.ip),
      ...(points > 0 ? writes.map((window) => window.use(account ?? '', points)) : []),
      ...(isLogin ? logins.map((window) => window.use(loginKey(call))) : []),
    ])
    const headers = headersOf(used)
    if (!used?.isExceeded || !world.refusesByRate) return { headers }
    return { headers, refusal: tooMany(headers) }
  }
}

/** Asks to wait until a second or two from now. */
export function rateLimited(world: World) {
  const resetAt = Math.ceil(world.now() / 1000 + 1) * 1000
  const used = { limit: 5000, windowSeconds: 3600, remaining: 0, resetAt, isExceeded: true }
  return tooMany(headersOf(used))
}

function tooMany(headers: Record<string, string>) {
  const answer = errorAnswer(429, 'RateLimitExceeded', 'Rate Limit Exceeded')
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function loginKey(call: Call): string {
  const { identifier = '' } = peekInput(call, z.object({ identifier: z.string() })) ?? {}
  return `${identifier}-${call.ip}`
}

function headersOf(used: Used | undefined): Record<string, string> {
  if (!used) return {}
  return {
    'ratelimit-limit': String(used.limit),
    'ratelimit-remaining': String(used.remaining),
    'ratelimit-reset': String(Math.floor(used.resetAt / 1000)),
    'ratelimit-policy': `${used.limit};w=${used.windowSeconds}`,
  }
}
