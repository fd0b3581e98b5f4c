import { accounts } from '@herald/contracts/accounts'
import { openEventStore } from '@herald/event-store/open'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { startService } from '@herald/service/start-service'
import { AccountsEnv } from './config.ts'
import { ACCOUNT_STREAMS, accountsHandlers } from './handlers.ts'
import { loadPlans } from './plans.ts'
import { toPublicEvent } from './public-events.ts'

const NAME = 'accounts'

/** Starts the accounts service: its RPC and the relay of its events. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(AccountsEnv, env)
  const plans = await loadPlans(config.HERALD_PLANS_FILE)
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
    streamTypes: ACCOUNT_STREAMS,
  })
  const handlers = accountsHandlers({
    store: events.store,
    plans,
    peppers: config.peppers,
    now: events.now,
    logger,
  })
  return startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: accounts, handlers: whileDatabaseIsAway(handlers) },
    isReady: events.isReady,
    onClose: async () => {
      await events.close()
      await bus.close()
    },
  })
}
