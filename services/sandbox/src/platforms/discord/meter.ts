import { createHash } from 'node:crypto'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { openRateWindow, type Used } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { isBot } from './authenticate.ts'

/** Of all calls of a bot together. */
const GLOBAL = { limit: 50, windowSeconds: 1, isAligned: false }
/** Of a route and the channel, guild or webhook in it, which is told by headers alone. */
const ROUTES = {
  messages: { limit: 5, windowSeconds: 5, isAligned: false },
  webhook: { limit: 5, windowSeconds: 2, isAligned: false },
  other: { limit: 10, windowSeconds: 5, isAligned: false },
}

/** Discord's limits: 50 calls a second for a bot, and a bucket for each route with its channel, guild or webhook. */
export function openMeter(world: World) {
  const global = openRateWindow(world, GLOBAL)
  const windows = {
    messages: openRateWindow(world, ROUTES.messages),
    webhook: openRateWindow(world, ROUTES.webhook),
    other: openRateWindow(world, ROUTES.other),
  }
  return (call: Call, operation: Operation): Metered => {
    if (operation.kind === 'page' || operation.kind === 'auth') return { headers: {} }
    const { channelId, guildId, webhookId } = call.params
    const route = `${operation.method} ${operation.path}`
    const kind = operation.kind === 'commit' ? (webhookId ? 'webhook' : 'messages') : 'other'
    const used = windows[kind].use(`${route} ${channelId ?? guildId ?? webhookId ?? ''}`)
    const headers = headersOf(world, route, used)
    const all = isBot(call) ? global.use('bot') : undefined
    if (!world.refusesByRate) return { headers }
    if (all?.isExceeded) return { headers: {}, refusal: tooMany(all.resetAt - world.now(), true) }
    if (!used.isExceeded) return { headers }
    return { headers, refusal: tooMany(used.resetAt - world.now(), false, headers) }
  }
}

/** Asks to wait for a second and a half. */
export function rateLimited(): Answer {
  return tooMany(1500, false)
}

function tooMany(ms: number, isGlobal: boolean, headers: Record<string, string> = {}): Answer {
  const seconds = Math.max(ms, 1) / 1000
  return jsonAnswer(
    429,
    { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal },
    {
      ...headers,
      'retry-after': String(Math.ceil(seconds)),
      'x-ratelimit-scope': isGlobal ? 'global' : 'user',
      ...(isGlobal && { 'x-ratelimit-global': 'true' }),
    },
  )
}

function headersOf(world: World, route: string, used: Used): Record<string, string> {
  return {
    'x-ratelimit-limit': String(used.limit),
    'x-ratelimit-remaining': String(used.remaining),
    'x-ratelimit-reset': (used.resetAt / 1000).toFixed(3),
    'x-ratelimit-reset-after': ((used.resetAt - world.now()) / 1000).toFixed(3),
    'x-ratelimit-bucket': createHash('sha256').update(route).digest('hex').slice(0, 32),
  }
}
