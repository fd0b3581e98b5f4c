import type { Answer, Call } from '../../call.ts'
import { openRateWindow } from '../../rate-window.ts'
import type { Metered, Operation, World } from '../../stand-in.ts'
import { errorAnswer } from './refusals.ts'

/** The Bot API's limits: 30 messages a second for a bot, 20 a minute for a chat. No header tells them. */
export function openMeter(world: World) {
  const bots = openRateWindow(world, { limit: 30, windowSeconds: 1, isAligned: false })
  const chats = openRateWindow(world, { limit: 20, windowSeconds: 60, isAligned: false })
  return (call: Call, operation: Operation, account: string | undefined): Metered => {
    if (operation.kind !== 'commit') return { headers: {} }
    const used = [
      bots.use(call.params['token'] ?? ''),
      ...(account === undefined ? [] : [chats.use(account)]),
    ]
    const exceeded = used.find(({ isExceeded }) => isExceeded)
    if (!exceeded || !world.refusesByRate) return { headers: {} }
    const seconds = Math.max(1, Math.ceil((exceeded.resetAt - world.now()) / 1000))
    return { headers: {}, refusal: tooMany(seconds) }
  }
}

/** Asks to wait for two seconds; there are no parts of a second. */
export function rateLimited(): Answer {
  return tooMany(2)
}

function tooMany(seconds: number): Answer {
  const description = `Too Many Requests: retry after ${seconds}`
  return errorAnswer(429, description, { retry_after: seconds })
}
