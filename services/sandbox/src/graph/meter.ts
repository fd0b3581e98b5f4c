import type { Answer } from '../call.ts'
import { openRateWindow, type Used } from '../rate-window.ts'
import type { Metered, World } from '../stand-in.ts'
import { graphError } from './errors.ts'

/** A platform's budget: calls of an account in 24 hours, 4800 for each of the ten impressions that everybody has. */
const CALLS = 48_000
const DAY_SECONDS = 86_400

/** How a platform tells what is used, and its error when that is too much. */
export type Budget = { type: string; code: number }

/** Counts calls by account, and tells what is used in `X-Business-Use-Case-Usage`. */
export function openMeter(world: World, budget: Budget) {
  const calls = openRateWindow(world, {
    limit: CALLS,
    windowSeconds: DAY_SECONDS,
    isAligned: false,
  })
  return (account: string | undefined): Metered => {
    if (account === undefined) return { headers: {} }
    const used = calls.use(account)
    const headers = usage(budget, account, used, world.now())
    if (!used.isExceeded || !world.refusesByRate) return { headers }
    return { headers, refusal: tooMany(budget, headers) }
  }
}

/** Asks to wait, without a word for how long: minutes are the shortest that the header can say. */
export function rateLimited(budget: Budget): Answer {
  return tooMany(budget, {
    'x-business-use-case-usage': header(budget, '0', 100, 0),
  })
}

function tooMany({ code }: Budget, headers: Record<string, string>): Answer {
  const message =
    code === 80002
      ? '(#80002) There have been too many calls to this Instagram account.'
      : `(#${code}) Application request limit reached`
  const answer = graphError({ status: code === 4 ? 403 : 400, message, code, isTransient: true })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function usage(budget: Budget, account: string, used: Used, now: number) {
  const percent = Math.min(100, Math.ceil((100 * (used.limit - used.remaining)) / used.limit))
  const minutes = used.isExceeded ? Math.ceil((used.resetAt - now) / 60_000) : 0
  return { 'x-business-use-case-usage': header(budget, account, percent, minutes) }
}

function header({ type }: Budget, account: string, percent: number, minutes: number): string {
  const use = {
    type,
    call_count: percent,
    total_cputime: 1,
    total_time: 1,
    estimated_time_to_regain_access: minutes,
  }
  return JSON.stringify({ [account]: [use] })
}
