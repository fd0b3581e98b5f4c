import { connectBus } from '@herald/service/bus'
import { jetStreamEvents } from '@herald/service/event-stream'
import { createLogger } from '@herald/service/logger'
import { startRelay } from '../src/relay.ts'
import { counterToPublic } from './counter.ts'

/** A relay in a process of its own, for tests that kill it. */
const logger = createLogger({ service: 'relay-process', level: 'silent' })
const bus = connectBus({ natsUrl: process.env.NATS_URL ?? '', name: 'relay', logger })
await bus.connection()
startRelay({
  databaseUrl: process.env.DATABASE_URL ?? '',
  name: 'relay',
  stream: jetStreamEvents(bus),
  toPublic: counterToPublic,
  logger,
})
