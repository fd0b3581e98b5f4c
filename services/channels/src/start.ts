import { channels } from '@herald/contracts/channels'
import { openDatabase } from '@herald/event-store/database'
import { openEventStore } from '@herald/event-store/open'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { platformOf } from '@herald/platforms/registry'
import { platformSettings } from '@herald/platforms/settings'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { startService } from '@herald/service/start-service'
import { ChannelsEnv } from './config.ts'
import { CHANNEL_STREAMS, channelsHandlers } from './handlers.ts'
import type { Deps } from './deps.ts'
import { toPublicEvent } from './public-events.ts'
import { startSealingAgain } from './seal-again.ts'
import { shortCache } from './short-cache.ts'
import { startUpkeep } from './upkeep.ts'

const NAME = 'channels'

/** Starts the channels service: its RPC and the relay of its events. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(ChannelsEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const bus = connectBus({
    natsUrl: config.NATS_URL,
    name: NAME,
    provision: config.HERALD_PROVISION,
    logger,
  })
  const events = await openEventStore({
    name: NAME,
    config,
    bus,
    logger,
    toPublic: toPublicEvent,
    streamTypes: CHANNEL_STREAMS,
  })
  const renewals = openDatabase({
    url: config.DATABASE_URL,
    name: `${NAME}-renewals`,
    connections: config.RENEWAL_CONNECTIONS,
    onError: (error) => logger.warn({ error }, 'An idle database connection broke.'),
  })
  const deps: Deps = {
    store: events.store,
    renewals: renewals.pool,
    renewing: new Map(),
    platformOf,
    choices: shortCache({ keepMs: 60_000, maxEntries: 1_000 }),
    onDue: () => upkeep.wake(),
    settings: platformSettings(env),
    now: events.now,
    logger,
    credentialsKeys: config.credentialsKeys,
    allowPrivate: config.ALLOW_PRIVATE_PLATFORM_URLS,
  }
  const upkeep = startUpkeep(deps)
  const sealing = startSealingAgain(deps)
  const handlers = channelsHandlers(deps)
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: channels, handlers: whileDatabaseIsAway(handlers) },
    isReady: events.isReady,
    onClose: async () => {
      await Promise.all([upkeep.close(), sealing.close()])
      await renewals.close()
      await events.close()
      await bus.close()
    },
  })
}
