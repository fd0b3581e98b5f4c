import { newId } from '@herald/contracts/ids'
import { CreatePostBody } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contentsOf, inSeconds, postsWorld, refusalOf, type World } from './world.ts'

function validate(
  world: World,
  body: Partial<z.input<typeof CreatePostBody>>,
  caller = world.caller(),
) {
  const full = { content: 'Hello', channelIds: [world.own.mastodon], ...body }
  return world.handlers.validate({ caller, body: CreatePostBody.parse(full) })
}

describe('200', () => {
  test('a post that could be created is valid', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    const body = {
      channelIds: [world.own.mastodon, world.own.bluesky],
      mediaIds: [id],
      publishAt: inSeconds(60),
    }
    expect(await validate(world, body)).toEqual({ valid: true, violations: [] })
  })

  test('every broken rule is told as the creation would tell it', async () => {
    await using world = await postsWorld()
    const body = {
      content: 'x'.repeat(501),
      channelIds: [world.own.mastodon, world.own.bluesky],
      platformContent: { BLUESKY: 'y'.repeat(301) },
      mediaIds: Array.from({ length: 5 }, () => world.library.add().id),
    }
    const { valid, violations } = await validate(world, body)
    expect(valid).toBe(false)
    const refusal = await refusalOf(world.create(body))
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
    expect(violations).toEqual(refusal.details?.['violations'])
    expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set(['maxChars', 'maxImages']))
  })

  test('a channel that must be connected again is one violation among the others', async () => {
    await using world = await postsWorld()
    const { mastodon, stale } = world.own
    const body = { content: 'x'.repeat(501), channelIds: [mastodon, stale] }
    const { violations } = await validate(world, body)
    expect(violations.map(({ channelId, rule, path }) => [channelId, rule, path])).toEqual([
      [stale, 'reauthRequired', 'channelIds.1'],
      [mastodon, 'maxChars', 'content'],
      [stale, 'maxChars', 'content'],
    ])
    expect(await refusalOf(world.create({ channelIds: [stale] }))).toMatchObject({
      code: 'reauth_required',
      message: violations[0]?.message,
    })
  })

  test('a duplicate is valid: that is known at its creation only', async () => {
    await using world = await postsWorld()
    const body = { publishAt: inSeconds(60) }
    await world.create(body)
    expect(await validate(world, body)).toEqual({ valid: true, violations: [] })
    expect(await refusalOf(world.create(body))).toMatchObject({ code: 'duplicate_post' })
  })
})

describe('nothing changes', () => {
  test('whatever is found: no event, no duplicate to come, no hold of files', async () => {
    await using world = await postsWorld()
    await world.create({ content: 'other' })
    const { id } = world.library.add()
    const bodies = [{ mediaIds: [id] }, { mediaIds: [id], content: 'x'.repeat(501) }]
    const before = await contentsOf(world)
    const wakes = world.wakes.count
    for (const body of bodies) await validate(world, body)
    expect(await contentsOf(world)).toEqual(before)
    expect(world.library.held.size).toBe(0)
    expect(world.wakes.count).toBe(wakes)
    // And so the same post can be created.
    expect((await world.create(bodies[0])).status).toBe('scheduled')
  })
})

describe('422 in the same words as at the creation', () => {
  test.for<[string, (world: World) => Partial<z.input<typeof CreatePostBody>>]>([
    ['an unknown channel', () => ({ channelIds: [newId('channel')] })],
    ['a disconnected channel', ({ own }) => ({ channelIds: [own.disconnected] })],
    [
      "another organization's channel",
      (world) => ({ channelIds: [world.organization().mastodon] }),
    ],
    ['an unknown file', () => ({ mediaIds: [newId('media')] })],
    ['a publish time in the past', () => ({ publishAt: inSeconds(-120) })],
    ['a publish time too far ahead', () => ({ publishAt: inSeconds(3 * 366 * 86_400) })],
    ['text for a platform that no channel is on', () => ({ platformContent: { BLUESKY: 'b' } })],
    ['options for a platform that no channel is on', () => ({ bluesky: {} })],
  ])('%s', async ([, bodyFor]) => {
    await using world = await postsWorld()
    const body = bodyFor(world)
    const refusal = await refusalOf(validate(world, body))
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
    expect(refusal).toEqual(await refusalOf(world.create(body)))
  })

  test("a channel outside the key's limit", async () => {
    await using world = await postsWorld()
    const limited = world.caller([world.own.bluesky])
    const refusal = await refusalOf(validate(world, {}, limited))
    expect(refusal).toEqual(await refusalOf(world.create({}, limited)))
    expect(refusal.status).toBe(422)
  })
})
