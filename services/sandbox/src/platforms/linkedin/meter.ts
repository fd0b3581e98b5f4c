import { bearerOf, type Call } from '../../call.ts'
import { openRateWindow } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

const DAY_SECONDS = 86_400
const POSTS_A_DAY = 150

/** LinkedIn counts a member's posts of a day in UTC, and tells neither what is left nor when to come again. */
export function openMeter(world: World) {
  const posts = openRateWindow(world, {
    limit: POSTS_A_DAY,
    windowSeconds: DAY_SECONDS,
    isAligned: true,
  })
  return (call: Call, { kind }: Operation): Metered => {
    if (kind !== 'commit') return { headers: {} }
    const { isExceeded } = posts.use(bearerOf(call) ?? call.ip)
    return isExceeded && world.refusesByRate ? { headers: {}, refusal: tooMany() } : { headers: {} }
  }
}

export function tooMany() {
  const message = 'Resource level throttle MEMBER DAY limit for calls to this resource is reached.'
  return errorAnswer(429, 'TOO_MANY_REQUESTS', message, { serviceErrorCode: 101 })
}
