import type { Call } from '../../call.ts'
import { openRateWindow, type RateWindow, tightest, type Used } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { problemAnswer } from './refusals.ts'

const QUARTER_SECONDS = 900

/** X's limits of each endpoint: how many calls of one account in a quarter of an hour. */
const LIMITS: Record<string, number> = {
  'post /2/tweets': 100,
  'post /2/media/upload': 500,
  'get /2/media/upload': 1000,
  'post /2/media/upload/initialize': 1875,
  'post /2/media/upload/:id/append': 1875,
  'post /2/media/upload/:id/finalize': 1875,
  'post /2/media/metadata': 500,
  'get /2/users/me': 75,
  'get /2/users/:id/tweets': 900,
  'get /2/tweets/:id': 900,
}
const POSTS_OF_APP_A_DAY = 10_000

/** Counts each account's calls of each endpoint, and all posts of the app in a day. */
export function openMeter(world: World) {
  const windows = new Map<string, RateWindow>(
    Object.entries(LIMITS).map(([name, limit]) => [
      name,
      openRateWindow(world, { limit, windowSeconds: QUARTER_SECONDS, isAligned: false }),
    ]),
  )
  const ofApp = openRateWindow(world, {
    limit: POSTS_OF_APP_A_DAY,
    windowSeconds: 86_400,
    isAligned: false,
  })
  return (_call: Call, operation: Operation, account: string | undefined): Metered => {
    const window = windows.get(`${operation.method} ${operation.path}`)
    if (!window || account === undefined) return { headers: {} }
    const used = window.use(account)
    const app = operation.kind === 'commit' ? ofApp.use('app') : undefined
    const headers = { ...headersOf(used), ...headersOfApp(app) }
    const isExceeded = tightest([used, ...(app ? [app] : [])])?.isExceeded
    return isExceeded && world.refusesByRate ? { headers, refusal: tooMany(headers) } : { headers }
  }
}

/** Asks to wait until a second or two from now. */
export function rateLimited(world: World) {
  const resetAt = Math.ceil((world.now() + 1000) / 1000) * 1000
  const used = {
    limit: 100,
    windowSeconds: QUARTER_SECONDS,
    remaining: 0,
    resetAt,
    isExceeded: true,
  }
  return tooMany(headersOf(used))
}

function tooMany(headers: Record<string, string>) {
  const answer = problemAnswer(429, 'Too Many Requests', 'Too Many Requests')
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function headersOf({ limit, remaining, resetAt }: Used): Record<string, string> {
  return {
    'x-rate-limit-limit': String(limit),
    'x-rate-limit-remaining': String(remaining),
    'x-rate-limit-reset': String(Math.ceil(resetAt / 1000)),
  }
}

function headersOfApp(used: Used | undefined): Record<string, string> {
  if (!used) return {}
  return {
    'x-app-limit-24hour-limit': String(used.limit),
    'x-app-limit-24hour-remaining': String(used.remaining),
    'x-app-limit-24hour-reset': String(Math.ceil(used.resetAt / 1000)),
  }
}
