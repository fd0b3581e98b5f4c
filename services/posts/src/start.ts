import { channels } from '@herald/contracts/channels'
import { posts } from '@herald/contracts/posts'
import { followDatabaseClock } from '@herald/event-store/clock'
import { openDatabase } from '@herald/event-store/database'
import type { EventStore } from '@herald/event-store/handle'
import { startRelay } from '@herald/event-store/relay'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { jetStreamEvents } from '@herald/service/event-stream'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { PostsEnv } from './config.ts'
import { postsHandlers } from './handlers.ts'
import { toPublicEvent } from './public-events.ts'
import { startScheduler } from './scheduler.ts'
import type { PostsDatabase } from './schema.ts'
import { startSweep } from './sweep.ts'

const NAME = 'posts'

/** Starts the posts service: its RPC, the relay of its events, the scheduler and the sweep. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(PostsEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const database = openDatabase<PostsDatabase>({
    url: config.DATABASE_URL,
    name: NAME,
    connections: config.DATABASE_CONNECTIONS,
    onError: (error) => logger.warn({ error }, 'An idle database connection broke.'),
  })
  const clock = await followDatabaseClock(database.pool)
  const bus = connectBus({ natsUrl: config.NATS_URL, name: NAME, logger })
  const relay = startRelay({
    databaseUrl: config.DATABASE_URL,
    name: NAME,
    stream: jetStreamEvents(bus),
    toPublic: toPublicEvent,
    logger,
  })
  const store: EventStore = { pool: database.pool, onAppend: relay.wake }
  const scheduler = startScheduler({ pool: database.pool, logger, onStarted: relay.wake })
  const sweep = startSweep({ store, logger, publishWithinMinutes: config.PUBLISH_WITHIN_MINUTES })
  const direct = config.RPC_DIRECT.get('channels')
  const handlers = postsHandlers({
    database,
    store,
    channels: rpcClient(channels, { bus, direct, secret: config.RPC_SECRET, logger }),
    now: clock.now,
    onDue: scheduler.wake,
  })
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: posts, handlers },
    isReady: async () => (await database.pool.query('select 1')).rowCount === 1,
    onClose: async () => {
      await Promise.all([scheduler.close(), sweep.close()])
      await relay.close()
      clock.close()
      await bus.close()
      await database.close()
    },
  })
}
