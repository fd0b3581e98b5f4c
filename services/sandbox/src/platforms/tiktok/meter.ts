import { bearerOf, type Call } from '../../call.ts'
import { openRateWindow } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

/** Calls a minute for each access token. */
const LIMITS = new Map([
  ['/v2/post/publish/creator_info/query/', 20],
  ['/v2/post/publish/video/init/', 6],
  ['/v2/post/publish/content/init/', 6],
  ['/v2/post/publish/status/fetch/', 30],
])

/** TikTok's limits: so many calls a minute of each kind. It names none of them in its headers. */
export function openMeter(world: World) {
  const windows = new Map(
    [...LIMITS].map(([path, limit]) => [
      path,
      openRateWindow(world, { limit, windowSeconds: 60, isAligned: false }),
    ]),
  )
  return (call: Call, { path }: Operation): Metered => {
    const used = windows.get(path)?.use(bearerOf(call) ?? call.ip)
    const isRefused = used?.isExceeded && world.refusesByRate
    return { headers: {}, ...(isRefused && { refusal: tooMany() }) }
  }
}

export function tooMany() {
  return errorAnswer(429, 'rate_limit_exceeded', 'The API rate limit was exceeded.')
}
