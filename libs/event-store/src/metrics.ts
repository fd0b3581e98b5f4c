import { observeDependency } from '@herald/service/metrics'
import { observeGauge } from '@herald/telemetry/observe-gauge'
import type { Pool } from 'pg'
import { acrossOrganizations } from './organization.ts'
import { outboxDepth } from './outbox.ts'

/** Measures how a pool of connections is used, and whether the database is reached. Returns how to stop that. */
export function observePool(pool: Pool, name: string): () => void {
  const stopConnections = observeGauge({
    name: 'herald_database_connections',
    description: 'Connections of a pool: in use, or open and idle.',
    read: () => [
      { value: pool.totalCount - pool.idleCount, labels: { pool: name, state: 'used' } },
      { value: pool.idleCount, labels: { pool: name, state: 'idle' } },
    ],
  })
  const stopWaiting = observeGauge({
    name: 'herald_database_waiting',
    description: 'Statements that wait for a connection of a pool.',
    read: () => [{ value: pool.waitingCount, labels: { pool: name } }],
  })
  const stopReady = observeDependency('postgres', () => isReached(pool))
  return () => [stopConnections, stopWaiting, stopReady].forEach((stop) => stop())
}

/** Measures how far the bus is behind the events of a database. Returns how to stop that. */
export function observeOutbox(pool: Pool): () => void {
  const depth = () => outboxDepth(acrossOrganizations(pool))
  const stopAge = observeGauge({
    name: 'herald_outbox_oldest_age_seconds',
    description: 'How long the oldest event has waited to reach NATS; 0 when none waits.',
    read: async () => [{ value: (await depth()).oldestSeconds }],
  })
  const stopDepth = observeGauge({
    name: 'herald_outbox_waiting_events',
    description: 'Events that have not reached NATS yet.',
    read: async () => [{ value: (await depth()).waiting }],
  })
  return () => [stopAge, stopDepth].forEach((stop) => stop())
}

const REACHED_WITHIN_MS = 1_500

async function isReached(pool: Pool): Promise<boolean> {
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), REACHED_WITHIN_MS).unref()
  })
  const asked = pool.query('select 1').then(
    () => true,
    () => false,
  )
  return Promise.race([asked, late])
}
