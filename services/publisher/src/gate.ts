import type { Logger } from '@herald/service/logger'
import { type Breaker, createBreaker, type Passing } from './breaker.ts'

/** Whose call it is, and to where. */
export type Caller = { platform: string; channelId: string; baseUrl: string }

/** Why an attempt must wait; `until` is in milliseconds since 1970. */
export type Hold = {
  /** What it waits for: a server of a platform, or one account. */
  scope: string
  until: number
  errorCode: 'platform_down' | 'rate_limited'
  error: string
}

/** What a call said of how the platform is. */
export type Sign = 'works' | 'fails' | 'nothing'

/** A call that was let through. Disposing it without a sign lets the next one through. */
export type Pass = Disposable & {
  /** Notes what the call said. Answers the scopes whose attempts need not wait any more. */
  note: (sign: Sign) => string[]
  /** Holds back all calls of the account, or of the whole server, until a moment that the platform named. */
  holdBack: (hold: { until: number; error: string; isOfServer: boolean }) => void
}

/**
 * Keeps calls from where they do no good: from a server that keeps failing, from an account that keeps failing, and from
 * either while the platform wants to be left alone. Each publisher has one and learns for itself; what it knows may be lost.
 */
export type Gate = { enter: (caller: Caller) => { hold: Hold } | { pass: Pass } }

type Scope = { name: string; fewestAccounts: number }

/** Scopes beyond this many are forgotten, which costs a few calls that fail. */
const MOST_SCOPES = 10_000

/** Opens a gate through which everything may pass. */
export function createGate(options: { logger: Logger; now?: () => number }): Gate {
  const { logger, now = Date.now } = options
  const breakers = new Map<string, Breaker>()
  const holds = new Map<string, Hold>()

  const holdOf = (scope: Scope): Hold | undefined => {
    const hold = holds.get(scope.name)
    if (hold && hold.until > now()) return hold
    holds.delete(scope.name)
    const until = breakers.get(scope.name)?.waitUntil()
    return until === undefined ? undefined : { ...DOWN, scope: scope.name, until }
  }
  const holdBack = (hold: Hold) => {
    if (holds.size >= MOST_SCOPES) holds.clear()
    const until = Math.max(hold.until, holds.get(hold.scope)?.until ?? 0)
    holds.set(hold.scope, { ...hold, until })
  }

  const failed = ({ scope, passing }: Passed) => {
    if (breakers.size >= MOST_SCOPES) breakers.clear()
    const { name, fewestAccounts } = scope
    const breaker = breakers.get(name) ?? createBreaker({ fewestAccounts, now })
    breakers.set(name, breaker)
    const pauseMs = breaker.failed(passing)
    if (pauseMs !== undefined)
      logger.warn({ scope: name, pauseMs }, 'Calls that keep failing pause.')
  }
  /** Answers whether calls were pausing until now. */
  const worked = ({ scope: { name } }: Passed): boolean => {
    const wasPausing = breakers.get(name)?.succeeded() ?? false
    breakers.delete(name)
    if (wasPausing) logger.info({ scope: name }, 'Calls that were failing work again.')
    return wasPausing
  }
  const note = (passed: Passed, sign: Sign): boolean => {
    switch (sign) {
      case 'works':
        return worked(passed)
      case 'fails':
        failed(passed)
        return false
      case 'nothing':
        breakers.get(passed.scope.name)?.saidNothing(passed.passing)
        return false
    }
  }

  return {
    enter: (caller) => {
      const scopes = scopesOf(caller)
      const hold = scopes.map(holdOf).find((found) => found !== undefined)
      if (hold) return { hold }
      const passings = scopes.map((scope): Passed => {
        const passing = breakers.get(scope.name)?.pass(caller.channelId)
        return { scope, passing: passing ?? { account: caller.channelId, isProbe: false } }
      })
      return { pass: passOf(passings, { note, holdBack }) }
    },
  }
}

/** A server of a platform stops for all when several accounts fail, an account for itself. */
function scopesOf({ platform, baseUrl, channelId }: Caller): [Scope, Scope] {
  return [
    { name: `${platform} ${baseUrl}`, fewestAccounts: 2 },
    { name: channelId, fewestAccounts: 1 },
  ]
}

const DOWN = {
  errorCode: 'platform_down',
  error: 'The platform does not answer right now. Herald goes on as soon as it does.',
} as const

type Passed = { scope: Scope; passing: Passing }

function passOf(
  passings: readonly Passed[],
  gate: { note: (passed: Passed, sign: Sign) => boolean; holdBack: (hold: Hold) => void },
): Pass {
  let isNoted = false
  const note = (sign: Sign) => {
    isNoted = true
    return passings.filter((passed) => gate.note(passed, sign)).map(({ scope }) => scope.name)
  }
  return {
    note,
    holdBack: ({ until, error, isOfServer }) => {
      const scope = passings.at(isOfServer ? 0 : 1)?.scope.name ?? ''
      gate.holdBack({ scope, until, error, errorCode: 'rate_limited' })
    },
    [Symbol.dispose]: () => {
      if (!isNoted) note('nothing')
    },
  }
}
