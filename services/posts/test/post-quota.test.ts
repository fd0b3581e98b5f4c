import { unavailable } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { contentsOf, inSeconds, postsWorld, refusalOf } from './world.ts'

describe('a post', () => {
  test('that is created keeps what was reserved under its id', async () => {
    await using world = await postsWorld()
    const { id } = await world.create()
    expect([...world.quota.taken]).toEqual([id])
  })

  test('beyond the limit is refused and nothing is written', async () => {
    await using world = await postsWorld()
    world.quota.limit = 1
    await world.create()
    const before = await contentsOf(world)
    expect(await refusalOf(world.create({ content: 'Another' }))).toMatchObject({
      code: 'limit_reached',
      status: 409,
    })
    expect(await contentsOf(world)).toEqual(before)
  })

  test.each([
    ['breaks a platform rule', { content: 'x'.repeat(501) }, 'validation_failed'],
    ['is too late', { publishAt: inSeconds(-3_600) }, 'validation_failed'],
    ['names an unknown channel', { channelIds: [newId('channel')] }, 'validation_failed'],
  ])('that %s reserves nothing', async (_why, body, code) => {
    await using world = await postsWorld()
    world.quota.limit = 0
    expect(await refusalOf(world.create(body))).toMatchObject({ code })
  })

  test('is refused with 503 while the quota service is away, and nothing is written', async () => {
    await using world = await postsWorld()
    world.deps.quota = { ...world.quota, reservePost: () => Promise.reject(unavailable()) }
    const before = await contentsOf(world)
    expect(await refusalOf(world.create())).toMatchObject({ status: 503 })
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('a duplicate', () => {
  test('gives back what was reserved for it', async () => {
    await using world = await postsWorld()
    const { id } = await world.create()
    await refusalOf(world.create())
    expect([...world.quota.taken]).toEqual([id])
  })

  test('is told as one although it was the last post of the month', async () => {
    await using world = await postsWorld()
    world.quota.limit = 1
    const { id } = await world.create()
    expect(await refusalOf(world.create())).toMatchObject({
      code: 'duplicate_post',
      details: { postId: id },
    })
  })

  test('is told as one although nothing can be given back', async () => {
    await using world = await postsWorld()
    world.deps.quota = { ...world.quota, releasePost: () => Promise.reject(unavailable()) }
    await world.create()
    expect(await refusalOf(world.create())).toMatchObject({ code: 'duplicate_post' })
  })

  test('asked for 50 times at once takes one in the end', async () => {
    await using world = await postsWorld(20)
    await Promise.allSettled(Array.from({ length: 50 }, () => world.create()))
    expect(world.quota.taken.size).toBe(1)
  })
})

test('a commit of unknown outcome gives nothing back', async () => {
  await using world = await postsWorld()
  await world.pool.query('alter table post_channels rename to elsewhere')
  await expect(world.create()).rejects.toThrow('post_channels')
  expect(world.quota.taken.size).toBe(1)
})

test('of some posts those are told that were created and not cancelled', async () => {
  await using world = await postsWorld()
  const [kept, cancelled] = [await world.create(), await world.create({ content: 'Gone' })]
  await world.handlers.remove({ caller: world.caller(), postId: cancelled.id })
  const postIds = [newId('post'), cancelled.id, kept.id]
  expect(await world.handlers.filterCreated({ postIds })).toEqual({ postIds: [kept.id] })
})
