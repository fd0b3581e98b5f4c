import type { Call } from '../../call.ts'
import { openRateWindow } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

/** What a library calls itself when nobody told it who it is. */
const GENERIC_AGENT = /^$|^(node|undici|axios|python|java|curl|okhttp|go-http)/i

/** Reddit's limits: 100 calls a minute for an app, averaged over 10; and who does not say who it is gets nothing. */
export function openMeter(world: World) {
  const calls = openRateWindow(world, { limit: 1000, windowSeconds: 600, isAligned: true })
  return (call: Call, { kind, path }: Operation): Metered => {
    if (kind === 'page' || path === '/storage') return { headers: {} }
    if (GENERIC_AGENT.test(call.headers['user-agent'] ?? ''))
      return { headers: {}, refusal: errorAnswer(429) }
    if (kind === 'auth') return { headers: {} }
    const { limit, remaining, resetAt, isExceeded } = calls.use('app')
    const seconds = Math.ceil((resetAt - world.now()) / 1000)
    const headers = headersOf(limit - remaining, remaining, seconds)
    if (!isExceeded || !world.refusesByRate) return { headers }
    return { headers, refusal: errorAnswer(429, { headers }) }
  }
}

/** Asks to wait for two seconds. */
export function rateLimited() {
  return errorAnswer(429, { headers: headersOf(1000, 0, 2) })
}

function headersOf(used: number, remaining: number, seconds: number): Record<string, string> {
  return {
    'x-ratelimit-used': String(used),
    'x-ratelimit-remaining': remaining.toFixed(1),
    'x-ratelimit-reset': String(seconds),
  }
}
