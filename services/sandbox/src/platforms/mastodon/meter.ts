import type { Call } from '../../call.ts'
import { openRateWindow, tightest, type Used } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

/** Mastodon's limits: 300 calls in 5 minutes for each token (or address), 30 uploads in 30 minutes for each account. */
export function openMeter(world: World) {
  const calls = openRateWindow(world, { limit: 300, windowSeconds: 300, isAligned: true })
  const uploads = openRateWindow(world, { limit: 30, windowSeconds: 1800, isAligned: true })
  return (call: Call, operation: Operation, account: string | undefined): Metered => {
    if (!operation.path.startsWith('/api/')) return { headers: {} }
    const isUpload = operation.kind === 'media' && operation.method === 'post'
    const used = tightest([
      calls.use(account === undefined ? call.ip : (call.headers.authorization ?? '')),
      ...(isUpload && account !== undefined ? [uploads.use(account)] : []),
    ])
    const headers = headersOf(used)
    if (!used?.isExceeded || !world.refusesByRate) return { headers }
    return { headers, refusal: tooMany(headers) }
  }
}

/** Asks to wait until a second or two from now. */
export function rateLimited(world: World) {
  const resetAt = world.now() + 1500
  const headers = headersOf({
    limit: 300,
    windowSeconds: 300,
    remaining: 0,
    resetAt,
    isExceeded: true,
  })
  return tooMany(headers)
}

function tooMany(headers: Record<string, string>) {
  const answer = errorAnswer(429, 'Too many requests')
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function headersOf(used: Used | undefined): Record<string, string> {
  if (!used) return {}
  return {
    'x-ratelimit-limit': String(used.limit),
    'x-ratelimit-remaining': String(used.remaining),
    'x-ratelimit-reset': new Date(used.resetAt).toISOString().replace('Z', '000Z'),
  }
}
