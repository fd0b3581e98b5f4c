import { newId } from '@herald/contracts/ids'
import { PostHistoryEvent } from '@herald/contracts/post-history'
import { handle } from '@herald/event-store/handle'
import type { ChannelResult } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { postStream } from '../src/post-stream.ts'
import { createDue, inSeconds, postsWorld, refusalOf, type World } from './world.ts'

const CANARY = 'canary-8841'
const delayed: ChannelResult = {
  outcome: 'delayed',
  error: 'Slow down.',
  errorCode: 'rate_limited',
  attempts: 1,
  nextAttemptAt: '2026-01-01T00:00:05.000Z',
}
const published: ChannelResult = {
  outcome: 'published',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: '2026-01-01T00:00:00.000Z',
  latenessMs: 7,
  attempts: 2,
}
const failed: ChannelResult = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'rejected',
  retryable: false,
  attempts: 1,
  latenessMs: null,
}

const read = (world: World, postId: string, caller = world.caller(), page: object = {}) =>
  world.handlers.events({ caller, postId, limit: 25, ...page })

/** A post that has had everything happen to it, on Mastodon and on Bluesky. */
async function eventful(world: World): Promise<string> {
  const { handlers, own, pool } = world
  const caller = world.caller()
  const { id: postId } = await world.create({
    content: CANARY,
    channelIds: [own.mastodon, own.bluesky],
    publishAt: inSeconds(3600),
    platformContent: { MASTODON: CANARY },
    mastodon: { spoilerText: CANARY },
  })
  const text = { content: `${CANARY} b`, platformContent: null }
  await handlers.edit({ caller: { ...caller, actor: 'app:operator' }, postId, body: text })
  await handlers.edit({ caller, postId, body: { publishAt: inSeconds(0) } })
  await claimDuePosts(pool, 10)
  const report = (channelId: string, generation: number, result: ChannelResult) =>
    handlers.recordChannelResult({ organizationId: own.id, postId, channelId, generation, result })
  await report(own.mastodon, 4, delayed)
  await report(own.bluesky, 4, failed)
  await report(own.mastodon, 4, failed)
  await handlers.retry({ caller, postId, body: { includeUnconfirmed: false } })
  await claimDuePosts(pool, 10)
  await report(own.bluesky, 10, published)
  const options = { organizationId: own.id, meta: { actor: 'sweep' } }
  await handle({ pool }, postStream, postId, { type: 'AbandonPublishing' }, options)
  return postId
}

describe('200', () => {
  test('everything that happened, oldest first: when, by whom, on which channel, with its facts', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const { data, nextCursor } = await read(world, await eventful(world))
    expect(nextCursor).toBeNull()
    expect(z.array(PostHistoryEvent).parse(data)).toEqual(data)
    expect(data.map(({ sequence }) => sequence)).toEqual(data.map((_, index) => index + 1))
    const key = { kind: 'key', id: 'key_1' }
    const of = (kind: string) => ({ kind, id: null })
    const both = [mastodon, bluesky]
    const at = expect.any(String)
    const failure = { errorCode: 'rejected', error: 'No.', retryable: false, attempts: 1 }
    const lost = (platform: string) => ({ platform, ...failure, latenessMs: null })
    expect(
      data.map(({ type, actor, channelId, data: facts }) => [type, actor, channelId, facts]),
    ).toEqual([
      ['PostScheduled', key, null, { scheduledAt: at, channelIds: both }],
      ['PostEdited', { kind: 'app', id: 'operator' }, null, {}],
      ['PostRescheduled', key, null, { scheduledAt: at }],
      ['PublishStarted', of('scheduler'), null, started(both)],
      ['ChannelDelayed', of('publisher'), mastodon, { platform: 'MASTODON', ...factsOf(delayed) }],
      ['ChannelFailed', of('publisher'), bluesky, lost('BLUESKY')],
      ['ChannelFailed', of('publisher'), mastodon, lost('MASTODON')],
      ['PostFailed', of('publisher'), null, {}],
      ['PostRetried', key, null, { scheduledAt: at, channelIds: both }],
      ['PublishStarted', of('scheduler'), null, started(both)],
      [
        'ChannelPublished',
        of('publisher'),
        bluesky,
        { platform: 'BLUESKY', ...factsOf(published) },
      ],
      [
        'ChannelFailed',
        of('sweep'),
        mastodon,
        expect.objectContaining({ errorCode: 'unconfirmed' }),
      ],
      ['PostPublished', of('sweep'), null, {}],
    ])
    expect(JSON.stringify(data)).not.toContain(CANARY)
  })

  test('pages hold each event once, and end with a null cursor', async () => {
    await using world = await postsWorld()
    const postId = await eventful(world)
    const { data: all } = await read(world, postId)
    const found = []
    let cursor: string | undefined
    do {
      const page = await read(world, postId, world.caller(), { limit: 5, cursor })
      expect(page.data.length).toBeLessThanOrEqual(5)
      found.push(...page.data)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(found).toEqual(all)
    // A page that holds exactly the rest is the last.
    expect((await read(world, postId, world.caller(), { limit: 13 })).nextCursor).toBeNull()
  })

  test('an event of a kind that no history has, and an actor of no known kind, break nothing', async () => {
    await using world = await postsWorld()
    const { id } = await world.create({ publishAt: inSeconds(3600) })
    await world.pool.query('alter table events disable trigger all')
    await world.pool.query(`update events set meta = '{"actor": "quota"}'`)
    await world.pool.query(
      `insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta)
       select stream_id, 2, $1, organization_id, 'PostAdmired', 3, '{}', '{}' from events`,
      [newId('event')],
    )
    const { data } = await read(world, id)
    expect(data.map(({ type, actor }) => [type, actor])).toEqual([
      ['PostScheduled', { kind: 'herald', id: null }],
    ])
  })
})

describe('a key that is limited to channels', () => {
  test('sees what is of the post and of its channels, and no trace of the others', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const postId = await eventful(world)
    const { data: all } = await read(world, postId)
    for (const [own, other] of [
      [mastodon, bluesky],
      [bluesky, mastodon],
    ] as const) {
      const { data } = await read(world, postId, world.caller([own, newId('channel')]))
      expect(data.map(({ sequence }) => sequence)).toEqual(
        all.filter(({ channelId }) => channelId !== other).map(({ sequence }) => sequence),
      )
      expect(JSON.stringify(data)).not.toContain(other)
      expect(JSON.stringify(data)).not.toContain(own === mastodon ? 'BLUESKY' : 'MASTODON')
    }
  })

  test('cannot go on with the cursor of a key that sees more', async () => {
    await using world = await postsWorld()
    const postId = await eventful(world)
    const { nextCursor: cursor } = await read(world, postId, world.caller(), { limit: 2 })
    const limited = world.caller([world.own.mastodon])
    expect(await refusalOf(read(world, postId, limited, { cursor }))).toMatchObject({ status: 422 })
  })
})

describe('404', () => {
  test('for a post that is removed or cancelled, unknown, of others, or on no channel of the key', async () => {
    await using world = await postsWorld()
    const caller = world.caller()
    const { id: cancelled } = await world.create({ publishAt: inSeconds(3600) })
    await world.handlers.remove({ caller, postId: cancelled })
    const { id: removed } = await createDue(world, { content: 'b' })
    await claimDuePosts(world.pool, 10)
    const report = { organizationId: world.own.id, channelId: world.own.mastodon, generation: 2 }
    await world.handlers.recordChannelResult({ ...report, postId: removed, result: failed })
    await world.handlers.remove({ caller, postId: removed })
    const { id } = await world.create({ content: 'c', publishAt: inSeconds(3600) })
    const callers = [
      [cancelled, caller],
      [removed, caller],
      [newId('post'), caller],
      ['nonsense', caller],
      [id, world.caller('all', world.organization().id)],
      [id, world.caller([world.own.bluesky])],
      [id, world.caller([])],
    ] as const
    for (const [postId, as] of callers)
      expect(await refusalOf(read(world, postId, as))).toMatchObject({
        code: 'not_found',
        status: 404,
        message: 'There is no such post.',
      })
  })
})

describe('422', () => {
  test('the cursor of another post, or of another list', async () => {
    await using world = await postsWorld()
    const one = await eventful(world)
    const { id } = await world.create({ content: 'b', publishAt: inSeconds(3600) })
    const { nextCursor } = await read(world, one, world.caller(), { limit: 1 })
    const list = await world.handlers.list({ caller: world.caller(), limit: 1 })
    for (const cursor of [nextCursor, list.nextCursor, 'bm9uc2Vuc2U'])
      expect(await refusalOf(read(world, id, world.caller(), { cursor }))).toMatchObject({
        code: 'validation_failed',
        status: 422,
      })
  })
})

function started(channelIds: string[]) {
  return { scheduledAt: expect.any(String), latenessMs: expect.any(Number), channelIds }
}

function factsOf({ outcome: _outcome, ...facts }: ChannelResult) {
  return facts
}
