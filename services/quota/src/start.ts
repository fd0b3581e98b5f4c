import { accounts } from '@herald/contracts/accounts'
import { posts } from '@herald/contracts/posts'
import { quota } from '@herald/contracts/quota'
import { openDatabase } from '@herald/event-store/database'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { QuotaEnv } from './config.ts'
import { quotaHandlers } from './handlers.ts'
import { knownLimits } from './known-limits.ts'
import { postConsumers } from './on-post-events.ts'
import { startSweep } from './sweep.ts'

const NAME = 'quota'

/** Starts the quota service: its RPC, its consumers of post events, and the sweep of reservations. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(QuotaEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const { pool, close } = openDatabase<Record<string, never>>({
    url: config.DATABASE_URL,
    name: NAME,
    connections: config.DATABASE_CONNECTIONS,
    onError: (error) => logger.warn({ error }, 'An idle database connection broke.'),
  })
  const bus = connectBus({
    natsUrl: config.NATS_URL,
    name: NAME,
    provision: config.HERALD_PROVISION,
    logger,
  })
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const road = (service: string) => ({ bus, direct: direct.get(service), secret, logger })
  const sweep = startSweep({
    pool,
    posts: rpcClient(posts, road('posts')),
    logger,
    everySeconds: config.SWEEP_SECONDS,
  })
  const handlers = quotaHandlers({
    pool,
    limitsOf: knownLimits(rpcClient(accounts, road('accounts'))),
    reservationSeconds: config.RESERVATION_SECONDS,
  })
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: quota, handlers: whileDatabaseIsAway(handlers) },
    consumers: postConsumers(pool),
    isReady: async () => (await pool.query('select 1')).rowCount === 1,
    onClose: async () => {
      await sweep.close()
      await bus.close()
      await close()
    },
  })
}
