import { CloudEvent } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import {
  POST_EVENT_ACTIONS,
  POST_EVENT_DATA,
  type PostEventType,
} from '@herald/contracts/post-events'
import type { ChannelResult } from '@herald/contracts/posts'
import { loadEvents } from '@herald/event-store/handle'
import type { StoredEvent } from '@herald/event-store/stream-type'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { toPublicEvent } from '../src/public-events.ts'
import { createDue, inSeconds, postsWorld, type World } from './world.ts'

const CANARY = 'canary-5519'
const EVENT_TYPES = Object.keys(POST_EVENT_DATA) as PostEventType[]

const delayed: ChannelResult = {
  outcome: 'delayed',
  error: 'Slow down.',
  errorCode: 'rate_limited',
  attempts: 1,
  nextAttemptAt: inSeconds(5),
}
const published: ChannelResult = {
  outcome: 'published',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: inSeconds(0),
  latenessMs: 1,
  attempts: 2,
}
const failed: ChannelResult = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'rejected',
  retryable: false,
  attempts: 2,
  latenessMs: null,
}

/** Every event that a post can have, as the service itself stores them. */
async function everyEvent(world: World): Promise<StoredEvent[]> {
  const { handlers, own, pool } = world
  const caller = world.caller()
  const text = (label: string) => ({
    content: `${CANARY} ${label}`,
    platformContent: { MASTODON: `${CANARY} own ${label}` },
  })
  const record = (postId: string, result: ChannelResult) =>
    handlers.recordChannelResult({
      organizationId: own.id,
      postId,
      channelId: own.mastodon,
      generation: 3,
      result,
    })
  const options = { mastodon: { spoilerText: `${CANARY} warning` } }
  const live = await createDue(world, { ...text('live'), ...options })
  await handlers.edit({ caller, postId: live.id, body: text('edited') })
  const dead = await createDue(world, text('dead'))
  await claimDuePosts(pool, 10)
  for (const result of [delayed, published]) await record(live.id, result)
  await record(dead.id, failed)
  await handlers.retry({ caller, postId: dead.id, body: { includeUnconfirmed: false } })
  await handlers.remove({ caller, postId: dead.id })
  const cancelled = await world.create({ ...text('cancelled'), publishAt: inSeconds(3600) })
  const body = { publishAt: inSeconds(7200) }
  await handlers.edit({ caller, postId: cancelled.id, body })
  await handlers.remove({ caller, postId: cancelled.id })
  const streams = [live, dead, cancelled].map(({ id }) => loadEvents(pool, id, own.id))
  return (await Promise.all(streams)).flat()
}

test('every event of a post leaves the service as its contract says, and never with the text', async () => {
  await using world = await postsWorld()
  const stored = await everyEvent(world)
  expect(new Set(stored.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES))
  expect(JSON.stringify(stored)).toContain(CANARY)
  for (const event of stored) {
    const message = toPublicEvent(event)!
    const type = event.type as PostEventType
    expect(message.subject).toBe(
      `herald.events.v1.post.${world.own.id}.${POST_EVENT_ACTIONS[type]}`,
    )
    expect(message.id).toBe(event.event_id)
    expect(message.body).not.toContain(CANARY)
    const cloudEvent = CloudEvent.parse(JSON.parse(message.body))
    expect(cloudEvent).toMatchObject({
      id: event.event_id,
      type,
      subject: event.stream_id,
      sequence: event.version,
      organizationid: world.own.id,
      source: '/herald/posts',
      time: event.at,
    })
    const contract: z.ZodObject = POST_EVENT_DATA[type]
    expect(contract.strict().parse(cloudEvent.data)).toHaveProperty('postId', event.stream_id)
  }
})

test('an event that has no public form stays inside', () => {
  const stored: StoredEvent = {
    stream_id: newId('post'),
    version: 1,
    event_id: newId('event'),
    organization_id: newId('organization'),
    type: 'Unknown',
    schema_version: 1,
    data: { content: CANARY },
    meta: { actor: 'test' },
    at: inSeconds(0),
  }
  expect(toPublicEvent(stored)).toBeUndefined()
  // Nor is a name that every object has taken for one.
  expect(toPublicEvent({ ...stored, type: 'toString' })).toBeUndefined()
})
