import { type Loop, loop } from '@herald/service/supervise'
import type { Attempt } from './attempt.ts'
import { expireCalls, takeAttempts } from './attempts.ts'
import type { Deps } from './deps.ts'
import { publish } from './publish.ts'
import { reconcile } from './reconcile.ts'
import { forgetOldAttempts, markReported, takeReports } from './reports.ts'
import { crashPoint } from '@herald/service/crash-point'

const IDLE_MS = 250
const REPORT_AGAIN_SECONDS = 5
const REPORT_BATCH = 50
const CLEAN_EVERY_MS = 3_600_000

export type Workers = { wake: () => void; close: () => Promise<void> }

/** Starts the loops that publish, look up unknown outcomes, report ends, and end the calls of dead workers. */
export function startWorkers(deps: Deps, concurrency: number): Workers {
  const reporter = loop({ name: 'report', logger: deps.logger, run: () => report(deps) })
  const publishing = pool(deps, 'claimed', concurrency, async (attempt) => {
    await publish(deps, attempt)
    reporter.wake()
  })
  const reconciling = pool(deps, 'unknown', Math.ceil(concurrency / 4), async (attempt) => {
    await reconcile(deps, attempt)
    reporter.wake()
  })
  const expiring = loop({
    name: 'expire-calls',
    logger: deps.logger,
    run: async () => {
      const expired = await expireCalls(deps.pool, deps.timing.reconcileSeconds[0] ?? 0)
      if (expired > 0) deps.logger.warn({ expired }, 'Calls of lost workers became unknown.')
      return 1_000
    },
  })
  const cleaning = loop({
    name: 'clean',
    logger: deps.logger,
    run: async () => {
      await forgetOldAttempts(deps.pool)
      return CLEAN_EVERY_MS
    },
  })
  return {
    wake: publishing.wake,
    close: async () => {
      await Promise.all([
        publishing.close(),
        reconciling.close(),
        expiring.close(),
        cleaning.close(),
      ])
      await reporter.close()
    },
  }
}

/** Keeps up to `concurrency` attempts of a state in work at a time; taking more whenever one is done. */
function pool(
  deps: Deps,
  state: 'claimed' | 'unknown',
  concurrency: number,
  work: (attempt: Attempt) => Promise<void>,
): Loop {
  const inWork = new Set<Promise<void>>()
  const taking = loop({
    name: state === 'claimed' ? 'publish' : 'reconcile',
    logger: deps.logger,
    run: async () => {
      const free = concurrency - inWork.size
      if (free === 0) {
        await Promise.race(inWork)
        return 0
      }
      const attempts = await takeAttempts(deps.pool, state, free, deps.timing.leaseSeconds)
      for (const attempt of attempts) {
        const done = work(attempt)
          .catch((error: unknown) => {
            deps.logger.error({ error, postId: attempt.post_id }, 'An attempt broke off.')
          })
          .finally(() => inWork.delete(done))
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

/** Tells the posts service how attempts ended, again and again until it has acknowledged. */
async function report(deps: Deps): Promise<number> {
  const reports = await takeReports(deps.pool, REPORT_BATCH, REPORT_AGAIN_SECONDS)
  crashPoint('publisher.reporting')
  await Promise.all(
    reports.map(async (entry) => {
      try {
        await deps.posts.recordChannelResult({
          organizationId: entry.organization_id,
          postId: entry.post_id,
          channelId: entry.channel_id,
          generation: entry.generation,
          result: entry.outcome,
        })
        crashPoint('publisher.reported')
        await markReported(deps.pool, entry)
      } catch (error) {
        deps.logger.warn({ error, postId: entry.post_id }, 'A result could not be reported yet.')
      }
    }),
  )
  return reports.length === REPORT_BATCH ? 0 : IDLE_MS
}
