import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventSubject } from '@herald/contracts/events'
import { append } from '@herald/event-store/append'
import { toCloudEvent } from '@herald/event-store/cloud-event'
import { openDatabase } from '@herald/event-store/database'
import { runMigrations } from '@herald/event-store/migrate'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { outboxDepth } from '@herald/event-store/outbox'
import { startRelay } from '@herald/event-store/relay'
import { startNats } from '@herald/local/nats'
import { connectBus } from '@herald/service/bus'
import { jetStreamEvents } from '@herald/service/event-stream'
import { createLogger } from '@herald/service/logger'
import { temporaryPostgres } from './temporary-postgres.ts'

/** How fast a backlog leaves the outbox, against publishing the same messages pipelined and nothing else. */
const BACKLOG = 20_000
const BATCH = 500

await using postgres = await temporaryPostgres()
const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
const nats = await startNats({ dataDir: folder })
const logger = createLogger({ service: 'bench', level: 'warn' })
const bus = connectBus({ natsUrl: nats.url, name: 'bench', logger })
const stream = jetStreamEvents(bus)
await bus.connection()
await runMigrations(postgres.url, EVENT_STORE_MIGRATIONS)
const database = openDatabase<Record<string, never>>({
  url: postgres.url,
  name: 'bench',
  connections: 16,
})

await fillOutbox()
const floor = await publishOnly()
const perSecond = await drain()
console.log(`relay                 ${perSecond.toFixed(0)} events/s (a backlog of ${BACKLOG})`)
console.log(`publishing, no outbox ${floor.toFixed(0)} events/s`)
console.log(`ratio ${(perSecond / floor).toFixed(2)}`)

await bus.close()
await database.close()
await nats.stop()
await rm(folder, { recursive: true, force: true })

async function fillOutbox(): Promise<void> {
  let left = BACKLOG
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left-- > 0)
        await append(database.pool, {
          streamId: randomUUID(),
          streamType: 'bench',
          organizationId: 'org_bench',
          expectedVersion: 0,
          schemaVersion: 1,
          events: [{ type: 'Scheduled', data: { text: 'x'.repeat(100) } }],
          meta: {},
          projection: { tables: [], rows: () => ({}) },
          rows: {},
        })
    }),
  )
}

async function publishOnly(): Promise<number> {
  const started = performance.now()
  let { lastSequence } = await stream.position()
  for (let sent = 0; sent < BACKLOG; sent += BATCH) {
    const messages = Array.from({ length: BATCH }, () => ({
      subject: eventSubject('bench', 'org_floor', 'scheduled'),
      id: randomUUID(),
      body: JSON.stringify({ text: 'x'.repeat(300) }),
      headers: {},
    }))
    const acks = await Promise.all(
      messages.map((message, index) => {
        const before = messages[index - 1]
        return stream.publish(message, before ? { id: before.id } : { sequence: lastSequence })
      }),
    )
    lastSequence = acks.at(-1)?.sequence ?? lastSequence
  }
  return BACKLOG / ((performance.now() - started) / 1000)
}

async function drain(): Promise<number> {
  const started = performance.now()
  const relay = startRelay({
    databaseUrl: postgres.url,
    name: 'bench',
    stream,
    toPublic: (stored) =>
      toCloudEvent(stored, {
        source: '/herald/bench',
        subject: eventSubject('bench', stored.organization_id, 'scheduled'),
        data: stored.data,
      }),
    logger,
  })
  while ((await outboxDepth(database.pool)).waiting > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const perSecond = BACKLOG / ((performance.now() - started) / 1000)
  await relay.close()
  return perSecond
}
