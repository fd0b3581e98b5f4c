import { channels } from '@herald/contracts/channels'
import { CONSUMERS } from '@herald/contracts/consumers'
import { media } from '@herald/contracts/media'
import { Platform } from '@herald/contracts/platforms'
import { posts } from '@herald/contracts/posts'
import { tmpdir } from 'node:os'
import { openDatabase, type Pool } from '@herald/event-store/database'
import { openMediaWorkers } from '@herald/media-files/media-workers'
import { removeDeadWorkFolders } from '@herald/media-files/work-folder'
import type { Pace } from '@herald/platforms/platform'
import { platformOf } from '@herald/platforms/registry'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import type { Consumer } from '@herald/service/consumer'
import { createLogger, type Logger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import type { z } from 'zod'
import { PublisherEnv } from './config.ts'
import type { Deps, Timing } from './deps.ts'
import { createGate } from './gate.ts'
import { observeAttempts } from './metrics.ts'
import { doubtAfterRestore } from './lost-calls.ts'
import { onPublishStarted } from './on-publish-started.ts'
import { startWorkers, type Workers } from './workers.ts'

const NAME = 'publisher'
/** An attempt must end this long before the post must, so that its end can be reported. */
const MARGIN_MINUTES = 2

/** Starts the publisher: its consumer of started posts, and the workers that publish, look up and report. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(PublisherEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const database = openDatabase<Record<string, never>>({
    url: config.DATABASE_URL,
    name: NAME,
    connections: config.DATABASE_CONNECTIONS,
    // It publishes for all organizations and answers no requests.
    acrossOrganizations: true,
    onError: (error) => logger.warn({ error }, 'An idle database connection broke.'),
  })
  const bus = connectBus({
    natsUrl: config.NATS_URL,
    name: NAME,
    provision: config.HERALD_PROVISION,
    logger,
  })
  const { pool } = database
  const workFolders = { parent: config.WORK_DIR ?? tmpdir(), service: NAME }
  await removeDeadWorkFolders(workFolders)
  const mediaWorkers = await openMediaWorkers({ workers: 1 })
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const road = (service: string) => ({ bus, direct: direct.get(service), secret, logger })
  const deps: Deps = {
    pool,
    logger,
    posts: rpcClient(posts, road('posts')),
    channels: rpcClient(channels, road('channels')),
    connectorOf: (platform) => platformOf(platform)?.connector,
    files: {
      media: rpcClient(media, road('media')),
      filesUrl: config.MEDIA_FILES_URL,
      convertImage: mediaWorkers.convertImage,
      workFolders,
    },
    gate: createGate({ logger }),
    timing: timingOf(config),
    startedAt: await begin(pool, logger),
  }
  const stopMeasuring = observeAttempts(pool)
  const workers = startWorkers(deps, pacesWithin(config.CONCURRENCY))
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    consumers: [consumeStarts(deps, workers, config.PUBLISH_WITHIN_MINUTES - MARGIN_MINUTES)],
    isReady: async () => (await pool.query('select 1')).rowCount === 1,
    onClose: async () => {
      stopMeasuring()
      await workers.close()
      await mediaWorkers.close()
      await bus.close()
      await database.close()
    },
  })
}

/** The pace of every platform. One that cannot be connected any more has a pace as well, so that its attempts end. */
function pacesWithin(most: number): Record<Platform, Pace> {
  const paces = Platform.options.map((platform) => {
    const { pace } = platformOf(platform) ?? { pace: { platform: 4, account: 4 } }
    return [platform, { ...pace, platform: Math.min(pace.platform, most) }]
  })
  return Object.fromEntries(paces)
}

/** Posts that start become attempts, and the workers look at once. */
function consumeStarts(deps: Deps, workers: Workers, withinMinutes: number): Consumer {
  return {
    ...CONSUMERS.publisher,
    maxDeliver: 20,
    backoffMs: [250, 1_000, 5_000, 30_000],
    handle: async (event) => {
      await onPublishStarted(deps, withinMinutes, event)
      workers.wake()
    },
  }
}

/** What must be done before the first attempt is taken. Answers the database's time. */
async function begin(pool: Pool, logger: Logger): Promise<string> {
  const doubted = await doubtAfterRestore(pool)
  if (doubted > 0)
    logger.error(
      { doubted },
      'The database was restored. What waited in it is looked up, not called.',
    )
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now')
  return rows[0]?.now ?? ''
}

function timingOf(config: z.infer<typeof PublisherEnv>): Timing {
  return {
    prepareTimeoutMs: config.PREPARE_TIMEOUT_SECONDS * 1e3,
    commitTimeoutMs: config.COMMIT_TIMEOUT_SECONDS * 1e3,
    leaseSeconds: config.LEASE_SECONDS,
    reconcileSeconds: config.RECONCILE_SECONDS,
    backoffMs: config.BACKOFF_SECONDS * 1e3,
  }
}
