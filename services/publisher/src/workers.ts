import type { Platform } from '@herald/contracts/platforms'
import type { Pace } from '@herald/platforms/platform'
import { loop } from '@herald/service/supervise'
import { expireCalls } from './attempts.ts'
import { startCrew } from './crew.ts'
import type { Deps } from './deps.ts'
import { countUnknown } from './metrics.ts'
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
export function startWorkers(
  deps: Deps,
  paces: Readonly<Partial<Record<Platform, Pace>>>,
): Workers {
  const reporter = loop({ name: 'report', logger: deps.logger, run: () => report(deps) })
  const publishing = startCrew(deps, 'claimed', {
    paces,
    work: async (attempt) => {
      await publish(deps, attempt)
      reporter.wake()
    },
  })
  const reconciling = startCrew(deps, 'unknown', {
    paces: Object.fromEntries(
      Object.entries(paces).map(([platform, pace]) => [platform, ofLookingUp(pace)]),
    ),
    work: async (attempt) => {
      await reconcile(deps, attempt)
      reporter.wake()
    },
  })
  const expiring = loop({
    name: 'expire-calls',
    logger: deps.logger,
    run: async () => {
      const expired = await expireCalls(deps.pool, deps.timing.reconcileSeconds[0] ?? 0)
      for (const platform of expired) countUnknown(platform)
      if (expired.length > 0)
        deps.logger.warn({ expired: expired.length }, 'Calls of lost workers became unknown.')
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

/** Looking up takes a part of the places that publishing has, so that it never crowds a platform. */
function ofLookingUp(pace: Pace): Pace {
  return { platform: Math.ceil(pace.platform / 4), account: Math.ceil(pace.account / 4) }
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
