import { CreatePostBody, type Post } from '@herald/contracts/posts'
import { loadEvents } from '@herald/event-store/handle'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Deps } from '../src/deps.ts'
import { postsHandlers } from '../src/handlers.ts'
import { sweep } from '../src/sweep.ts'
import { inSeconds, postsWorld, refusalOf, type World } from './world.ts'

type Body = Partial<z.input<typeof CreatePostBody>>

/** Creates a post under a key. */
function create(world: World, idempotencyKey: string, body: Body = {}, deps: Partial<Deps> = {}) {
  const full = { content: 'Hello', channelIds: [world.own.mastodon], ...body }
  return postsHandlers({ ...world.deps, ...deps }).create({
    caller: world.caller(),
    source: 'api',
    body: CreatePostBody.parse(full),
    idempotencyKey,
  })
}

async function countPosts({ pool }: World): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int from streams')
  return rows[0]?.count ?? 0
}

const IN_PROGRESS = { status: 409, code: 'conflict', reason: 'idempotency_in_progress' }
const REUSED = { status: 422, code: 'validation_failed', reason: 'idempotency_key_reused' }

async function reasonOf(call: Promise<unknown>) {
  const { status, code, details } = await refusalOf(call)
  return { status, code, reason: details?.reason }
}

describe('a post created again with its Idempotency-Key', () => {
  test('is the first answer byte for byte, and no duplicate_post', async () => {
    await using world = await postsWorld()
    const first = await create(world, 'a')
    const { isReplay, ...again } = await create(world, 'a')
    expect(isReplay).toBe(true)
    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    expect(first).not.toHaveProperty('isReplay')
    expect(await loadEvents(world.pool, first.id, world.own.id)).toHaveLength(1)
    expect(await countPosts(world)).toBe(1)
  })

  test('is a duplicate_post under another key', async () => {
    await using world = await postsWorld()
    const first = await create(world, 'a')
    const refused = await refusalOf(create(world, 'b'))
    expect(refused).toMatchObject({ code: 'duplicate_post', details: { postId: first.id } })
  })

  test('is as it was, also when it has been changed, cancelled, or its time has passed', async () => {
    await using world = await postsWorld()
    const body = { publishAt: inSeconds(120) }
    const first = await create(world, 'a', body)
    const change = { caller: world.caller(), postId: first.id }
    await world.handlers.edit({ ...change, body: { content: 'Other' } })
    expect(await create(world, 'a', body)).toEqual({ ...first, isReplay: true })
    await world.handlers.remove(change)
    world.clock.offsetMs = 3_600_000
    expect(await create(world, 'a', body)).toEqual({ ...first, isReplay: true })
    expect(await countPosts(world)).toBe(1)
  })

  test('wakes no scheduler and holds no files again', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    await create(world, 'a', { mediaIds: [id] })
    const wakes = world.wakes.count
    world.library.held.clear()
    await create(world, 'a', { mediaIds: [id] })
    expect(world.wakes.count).toBe(wakes)
    expect(world.library.held.size).toBe(0)
    expect(world.library.released).toEqual([])
  })

  test.each([
    ['another text', { content: 'Other' }, true],
    ['another channel', { channelIds: [] as string[] }, true],
    ['another time', { publishAt: '2026-12-01T08:00:00Z' }, true],
    ['the same time at another offset', { publishAt: '2026-12-01T08:00:00+01:00' }, false],
    ['what is the default anyway', { mediaIds: [] }, false],
  ])('with %s is another request: %s', async (_name, change, isOther) => {
    await using world = await postsWorld()
    world.clock.offsetMs = Date.parse('2026-11-30T00:00:00Z') - Date.now()
    const channelIds = 'channelIds' in change ? [world.own.bluesky] : [world.own.mastodon]
    await create(world, 'a', { publishAt: '2026-12-01T07:00:00Z' })
    const again = create(world, 'a', { publishAt: '2026-12-01T07:00:00Z', ...change, channelIds })
    if (isOther) expect(await reasonOf(again)).toEqual(REUSED)
    else expect(await again).toMatchObject({ isReplay: true })
    expect(await countPosts(world)).toBe(1)
  })

  test('is nothing to another key of the organization, which may see other channels', async () => {
    await using world = await postsWorld()
    await create(world, 'a')
    const input = {
      source: 'api' as const,
      body: CreatePostBody.parse({ content: 'Hello', channelIds: [world.own.mastodon] }),
      idempotencyKey: 'a',
    }
    const other = { ...world.caller([world.own.bluesky]), actor: 'key:key_2' }
    const refused = await refusalOf(world.handlers.create({ caller: other, ...input }))
    expect(refused).toMatchObject({ status: 422, details: { issues: [{ path: 'channelIds.0' }] } })
  })

  test('24 hours later it is another post', async () => {
    await using world = await postsWorld()
    const first = await create(world, 'a')
    const elapse = (interval: string) =>
      Promise.all([
        world.pool.query(`update idempotency_keys set held_until = held_until - $1::interval`, [
          interval,
        ]),
        world.pool.query(`update recent_posts set at = at - $1::interval`, [interval]),
      ])
    const { store, logger } = world.deps
    await elapse('23 hours 59 minutes')
    await sweep({ store, logger, publishWithinMinutes: 60 })
    expect(await create(world, 'a')).toEqual({ ...first, isReplay: true })
    await elapse('1 minute')
    await sweep({ store, logger, publishWithinMinutes: 60 })
    expect((await world.pool.query('select from idempotency_keys')).rowCount).toBe(0)
    expect((await create(world, 'a')).id).not.toBe(first.id)
  })
})

describe('a post that is being created', () => {
  test('409: the same request meanwhile is in progress; afterwards it is a replay', async () => {
    await using world = await postsWorld()
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
    const { getForPosting } = world.deps.channels
    const first = create(
      world,
      'a',
      {},
      {
        channels: {
          getForPosting: async (input) => {
            ask()
            await mayAnswer
            return getForPosting(input)
          },
        },
      },
    )
    await isAsked
    expect(await reasonOf(create(world, 'a'))).toEqual(IN_PROGRESS)
    answer()
    const created = await first
    expect(await create(world, 'a')).toEqual({ ...created, isReplay: true })
    expect(await countPosts(world)).toBe(1)
  })

  test('50 times at once under one key is created once', async () => {
    await using world = await postsWorld()
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () =>
        create(world, 'a').catch(async (error: unknown) => reasonOf(Promise.reject(error))),
      ),
    )
    const posts = outcomes.filter((outcome): outcome is Post => 'id' in outcome)
    expect(new Set(posts.map(({ id }) => id)).size).toBe(1)
    for (const outcome of outcomes) if (!('id' in outcome)) expect(outcome).toEqual(IN_PROGRESS)
    expect(await countPosts(world)).toBe(1)
    expect(await create(world, 'a')).toMatchObject({ id: posts[0]?.id, isReplay: true })
  })
})

describe('a post that was refused', () => {
  test('is judged anew, because a refusal has no effect and is not kept', async () => {
    await using world = await postsWorld()
    const first = await world.create()
    expect(await refusalOf(create(world, 'a'))).toMatchObject({ code: 'duplicate_post' })
    await world.handlers.remove({ caller: world.caller(), postId: first.id })
    const created = await create(world, 'a')
    expect(created).not.toHaveProperty('isReplay')
    expect(created.id).not.toBe(first.id)
  })

  test('leaves its key free for the corrected request', async () => {
    await using world = await postsWorld()
    const refused = await refusalOf(create(world, 'a', { content: 'x'.repeat(501) }))
    expect(refused.details).toHaveProperty('violations')
    expect((await create(world, 'a', { content: 'x'.repeat(500) })).status).toBe('scheduled')
  })

  test('leaves neither a post nor an answer, when its files may have been let go', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    world.library.goodForMs = -1_000
    expect(await refusalOf(create(world, 'a', { mediaIds: [id] }))).toMatchObject({ status: 503 })
    expect((await world.pool.query('select from idempotency_keys')).rowCount).toBe(0)
    world.library.goodForMs = 60_000
    expect(await create(world, 'a', { mediaIds: [id] })).not.toHaveProperty('isReplay')
    expect(await countPosts(world)).toBe(1)
  })
})
