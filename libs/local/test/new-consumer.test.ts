import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import { eventually } from '@herald/testing/eventually'
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { testWorld, type World } from './world.ts'

const PATIENCE = { timeout: 240_000 }

/** What a consumer gets that is made now and begins at an instant, up to the newest event. */
async function readFrom({ nats }: World, durable: string, start: Date): Promise<CloudEvent[]> {
  const connection = await connect({ servers: nats.url })
  const manager = await jetstreamManager(connection)
  await manager.consumers.add(EVENTS_STREAM, {
    durable_name: durable,
    filter_subject: 'herald.events.v1.>',
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: start.toISOString(),
    max_ack_pending: 1,
  })
  const consumer = await jetstream(connection).consumers.get(EVENTS_STREAM, durable)
  const events: CloudEvent[] = []
  while ((await consumer.info()).num_pending > 0) {
    const message = await consumer.next({ expires: 5_000 })
    if (!message) continue
    events.push(message.json<CloudEvent>())
    await message.ackAck()
  }
  await connection.close()
  return events
}

/** Publishes a post on a channel and resolves when the stream has its last event. */
async function publishOne(world: World): Promise<string> {
  const content = `An event, please: ${crypto.randomUUID()}`
  const { id } = await world.create({ content, channelIds: [world.mastodon.id] })
  await eventually(async () => expect((await world.get(id)).status).toBe('published'), {
    timeoutMs: 60_000,
  })
  await eventually(async () => expect(await lastOf(world, id)).toBe('PostPublished'), {
    timeoutMs: 60_000,
  })
  return id
}

async function lastOf({ nats }: World, postId: string): Promise<string | undefined> {
  const connection = await connect({ servers: nats.url })
  const { streams } = await jetstreamManager(connection)
  const last = await streams.getMessage(EVENTS_STREAM, { last_by_subj: 'herald.events.v1.post.>' })
  await connection.close()
  const event = last?.json<CloudEvent>()
  return event?.subject === postId ? event.type : undefined
}

/** The ids of the events of each subject, in the order they came, those that came again left out. */
function idsBySubject(events: CloudEvent[]): Record<string, string[]> {
  const groups = Map.groupBy(events, ({ subject }) => subject)
  return Object.fromEntries([...groups].map(([subject, own]) => [subject, idsOf(own)]))
}

const idsOf = (events: CloudEvent[]) => [...new Set(events.map(({ id }) => id))]

test(
  'a new consumer that begins at an instant gets all events since, in order, also after the stream was lost',
  PATIENCE,
  async () => {
    await using world = await testWorld()
    const start = new Date(0)
    const first = await publishOne(world)
    const between = new Date()
    const second = await publishOne(world)

    const all = await readFrom(world, 'from-the-beginning', start)
    const posts = all.filter(({ subject }) => [first, second].includes(subject))
    expect(posts.map(({ type }) => type)).toEqual([...WHOLE, ...WHOLE])
    for (const own of Map.groupBy(all, ({ subject }) => subject).values())
      expect(own.map(({ sequence }) => sequence)).toEqual(
        own.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
      )
    const since = await readFrom(world, 'from-between', between)
    expect(idsOf(since)).toEqual(idsOf(all.filter(({ subject }) => subject === second)))

    await world.nats.stop()
    await rm(join(world.nats.dataDir, 'jetstream'), { recursive: true })
    await world.nats.start()
    // The streams come back by themselves, with all that they had.
    let attempt = 0
    await eventually(
      async () => {
        attempt += 1
        const again = await readFrom(world, `after-the-loss-${attempt}`, start)
        expect(idsBySubject(again)).toEqual(idsBySubject(all))
      },
      { timeoutMs: 120_000, intervalMs: 1_000 },
    )
    const third = await publishOne(world)
    const newest = await readFrom(world, 'after-it-all', start)
    expect(idsBySubject(newest)).toMatchObject(idsBySubject(all))
    expect(newest.filter(({ subject }) => subject === third).map(({ type }) => type)).toEqual(WHOLE)
  },
)

const WHOLE = ['PostScheduled', 'PublishStarted', 'ChannelPublished', 'PostPublished']
