import type { Platform } from '@herald/contracts/platforms'
import type { Pace } from '@herald/platforms/platform'
import { type Loop, loop } from '@herald/service/supervise'
import type { Attempt } from './attempt.ts'
import type { Deps } from './deps.ts'
import { findLanes, takeAttempts, type Waiting } from './take-attempts.ts'
import { createTurns } from './turns.ts'

const IDLE_MS = 250

/**
 * Works on attempts of a state, each platform at its own pace; takes more whenever there is a free place. The work may take
 * as long as it likes: it holds a place of its platform and account, and of nobody else.
 */
export function startCrew(
  deps: Pick<Deps, 'pool' | 'logger' | 'timing'>,
  state: Waiting,
  options: {
    paces: Readonly<Partial<Record<Platform, Pace>>>
    work: (attempt: Attempt) => Promise<void>
  },
): Loop {
  const turns = createTurns(options.paces)
  const inWork = new Set<Promise<void>>()
  const work = async (attempt: Attempt) => {
    turns.enter(attempt)
    try {
      await options.work(attempt)
    } catch (error) {
      deps.logger.error({ error, postId: attempt.post_id }, 'An attempt broke off.')
    } finally {
      turns.leave(attempt)
      taking.wake()
    }
  }
  const taking = loop({
    name: state === 'claimed' ? 'publish' : 'reconcile',
    logger: deps.logger,
    run: async () => {
      const starts = turns.starts()
      if (starts.length === 0) return IDLE_MS
      const lanes = turns.choose(await findLanes(deps.pool, state, starts))
      if (lanes.length === 0) return IDLE_MS
      const attempts = await takeAttempts(deps.pool, state, lanes, deps.timing.leaseSeconds)
      for (const attempt of attempts) {
        const done = work(attempt).finally(() => inWork.delete(done))
        inWork.add(done)
      }
      return attempts.length > 0 ? 0 : IDLE_MS
    },
  })
  return {
    wake: taking.wake,
    close: async () => {
      await taking.close()
      await Promise.allSettled(inWork)
    },
  }
}
