import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CloudEvent,
  DEAD_LETTER_STREAM,
  EVENTS_STREAM,
  eventSubject,
} from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import type { Consumer } from '@herald/service/consumer'
import { ensureStreams } from '@herald/service/jetstream'
import { testNats, type TestNats } from '@herald/testing/nats'
import { jetstream, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { testBus } from './world.ts'

export const ORGANIZATION = newId('organization')
export const DURABLE = 'tests'

export type EventWorld = {
  nats: TestNats
  connection: NatsConnection
  manager: JetStreamManager
  /** Publishes one event for each number, all of one subject. */
  publish: (subject: string, ...sequences: number[]) => Promise<void>
  publishRaw: (body: string) => Promise<void>
  /** What the server still wants to have acknowledged or delivered. */
  open: () => Promise<number>
  /** How many messages the consumer was given and has not acknowledged. */
  inWork: () => Promise<number>
  /** Stops NATS, does something, starts NATS and waits until this connection is back. */
  restartNats: (meanwhile: () => Promise<void>) => Promise<void>
  /** Kills NATS, starts it and waits until this connection is back. */
  crashNats: () => Promise<void>
  /** Deletes all that NATS has stored. */
  wipe: () => Promise<void>
  deadLetters: () => Promise<{ reason: string | undefined; body: string }[]>
}

/** A NATS server with the streams, and a connection of the test's own. */
export async function eventWorld(stack: AsyncDisposableStack): Promise<EventWorld> {
  const nats = stack.use(await testNats())
  const bus = testBus(stack, nats.url)
  const connection = await bus.connection()
  await ensureStreams(connection)
  const manager = await jetstreamManager(connection)
  const publishRaw = async (body: string) => {
    await jetstream(connection).publish(eventSubject('post', ORGANIZATION, 'changed'), body)
  }
  const untilBack = async (end: () => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopListening = bus.onReconnect(resolve)
    await end()
    await nats.start()
    await promise
    stopListening()
  }
  return {
    nats,
    connection,
    manager,
    publishRaw,
    publish: async (subject, ...sequences) => {
      for (const sequence of sequences) await publishRaw(JSON.stringify(anEvent(subject, sequence)))
    },
    open: async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info(EVENTS_STREAM, DURABLE)
      return num_pending + num_ack_pending
    },
    inWork: async () => (await manager.consumers.info(EVENTS_STREAM, DURABLE)).num_ack_pending,
    restartNats: (meanwhile) =>
      untilBack(async () => {
        await nats.stop()
        await meanwhile()
      }),
    crashNats: () => untilBack(nats.kill),
    wipe: () => rm(join(nats.dataDir, 'jetstream'), { recursive: true }),
    deadLetters: () => deadLetters(manager),
  }
}

export function anEvent(subject: string, sequence: number): CloudEvent {
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/tests',
    type: 'PostChanged',
    subject,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid: ORGANIZATION,
    sequence,
    data: {},
  }
}

export function aConsumer(overrides: Partial<Consumer> & Pick<Consumer, 'handle'>): Consumer {
  return {
    stream: EVENTS_STREAM,
    durable: DURABLE,
    filterSubject: eventSubject('post', '*', 'changed'),
    concurrency: 8,
    ackWaitMs: 2_000,
    maxDeliver: 3,
    backoffMs: [10, 20],
    ...overrides,
  }
}

/** How an event reads in an expectation: `a:1`. */
export function nameOf({ subject, sequence }: CloudEvent): string {
  return `${subject}:${sequence}`
}

async function deadLetters(manager: JetStreamManager) {
  const { state } = await manager.streams.info(DEAD_LETTER_STREAM)
  const letters = []
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
    const message = await manager.streams.getMessage(DEAD_LETTER_STREAM, { seq })
    if (message)
      letters.push({
        reason: message.header.get('Herald-Reason'),
        body: new TextDecoder().decode(message.data),
      })
  }
  return letters
}
