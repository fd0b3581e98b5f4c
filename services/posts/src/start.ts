import { channels } from '@herald/contracts/channels'
import { eventSubject } from '@herald/contracts/events'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import { quota } from '@herald/contracts/quota'
import { openEventStore } from '@herald/event-store/open'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { overhear } from '@herald/service/overhear'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { rememberFacts } from './channel-facts.ts'
import { PostsEnv } from './config.ts'
import { postsHandlers } from './handlers.ts'
import { observeOverduePosts } from './metrics.ts'
import { postStream } from './post-stream.ts'
import { noteLostTime, startCheck } from './lost-time.ts'
import { toPublicEvent } from './public-events.ts'
import { startScheduler } from './scheduler.ts'
import type { PostsDatabase } from './schema.ts'
import { startSweep } from './sweep.ts'

const NAME = 'posts'

/** Starts the posts service: its RPC, the relay of its events, the scheduler and the sweep. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(PostsEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const bus = connectBus({
    natsUrl: config.NATS_URL,
    name: NAME,
    provision: config.HERALD_PROVISION,
    logger,
  })
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const events = await openEventStore<PostsDatabase>({
    name: NAME,
    config,
    bus,
    logger,
    toPublic: toPublicEvent,
    streamTypes: [postStream],
    beforeRelaying: async (sources) => void (await noteLostTime(sources)),
  })
  const { database, store, wakeRelay } = events
  const stopMeasuring = observeOverduePosts(database.pool)
  const scheduler = startScheduler({ pool: database.pool, logger, onStarted: wakeRelay })
  const sweep = startSweep({ store, logger, publishWithinMinutes: config.PUBLISH_WITHIN_MINUTES })
  const check = startCheck({ pool: database.pool, stream: events.stream, logger })
  const facts = rememberFacts(
    rpcClient(channels, { bus, direct: direct.get('channels'), secret, logger }),
  )
  overhear({
    bus,
    logger,
    subject: eventSubject('channel', '*', '*'),
    onEvent: ({ subject }) => facts.forget(subject),
    onGap: facts.forgetAll,
  })
  const handlers = postsHandlers({
    database,
    store,
    now: events.now,
    channels: facts,
    media: rpcClient(media, { bus, direct: direct.get('media'), secret, logger }),
    quota: rpcClient(quota, { bus, direct: direct.get('quota'), secret, logger }),
    onDue: scheduler.wake,
    requireChecked: check.require,
    logger,
  })
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: posts, handlers: whileDatabaseIsAway(handlers) },
    isReady: events.isReady,
    onClose: async () => {
      stopMeasuring()
      await Promise.all([scheduler.close(), sweep.close(), check.close()])
      await events.close()
      await bus.close()
    },
  })
}
