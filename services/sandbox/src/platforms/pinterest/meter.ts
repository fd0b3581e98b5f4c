import type { Call } from '../../call.ts'
import { openRateWindow } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

/** Pinterest's limits of an account and app: 1000 calls that read and 300 that write, in a minute each. */
export function openMeter(world: World) {
  const open = (limit: number) =>
    openRateWindow(world, { limit, windowSeconds: 60, isAligned: false })
  const [reads, writes] = [open(1000), open(300)]
  return (_call: Call, { method, path }: Operation, account: string | undefined): Metered => {
    if (!path.startsWith('/v5/') || account === undefined) return { headers: {} }
    const window = method === 'get' ? reads : writes
    const { limit, remaining, resetAt, isExceeded } = window.use(account)
    const headers = headersOf(limit, remaining, Math.ceil((resetAt - world.now()) / 1000))
    if (!isExceeded || !world.refusesByRate) return { headers }
    return { headers, refusal: tooMany(headers) }
  }
}

/** Asks to wait for two seconds. */
export function rateLimited() {
  return tooMany(headersOf(300, 0, 2))
}

function tooMany(headers: Record<string, string>) {
  const message = 'This request exceeded a rate limit. Please wait and try again.'
  return errorAnswer(429, 8, message, headers)
}

function headersOf(limit: number, remaining: number, seconds: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(seconds),
  }
}
