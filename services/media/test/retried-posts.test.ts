import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { onPostEvent } from '../src/on-post-event.ts'
import { letPass, mediaWorld, refusalOf, uploaded, type World } from './world.ts'

const attach = (world: World, mediaIds: string[], postId: string, sequence?: number) =>
  world.handlers.attach({ organizationId: world.own, postId, mediaIds, sequence })

function happens(world: World, postId: string, type: string, sequence: number): Promise<void> {
  return onPostEvent(world.pool, {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/posts',
    type,
    subject: postId,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid: world.own,
    sequence,
    data: { postId },
  })
}

/** A post with a file that was scheduled and has failed; the news of its end have come, or have not. */
async function failedPost(world: World, { isKnown }: { isKnown: boolean }) {
  const { id: mediaId } = await uploaded(world)
  const postId = newId('post')
  await attach(world, [mediaId], postId)
  await happens(world, postId, 'PostScheduled', 1)
  await happens(world, postId, 'PublishStarted', 2)
  if (isKnown) await happens(world, postId, 'PostFailed', 4)
  return { mediaId, postId }
}

const expectHeld = async (world: World, mediaId: string, postId: string) =>
  expect(await refusalOf(world.remove(mediaId))).toMatchObject({
    code: 'conflict',
    status: 409,
    details: { postId },
  })

describe('a post that is published again holds its files', () => {
  test.for([true, false])('when its end before is known: %s', async (isKnown) => {
    await using world = await mediaWorld()
    const { mediaId, postId } = await failedPost(world, { isKnown })
    await attach(world, [mediaId], postId, 4)
    await expectHeld(world, mediaId, postId)
    // The news of the end before come, or come again.
    await happens(world, postId, 'PostFailed', 4)
    await expectHeld(world, mediaId, postId)
    await happens(world, postId, 'PostRetried', 5)
    await happens(world, postId, 'PostFailed', 4)
    await letPass(world, '3 minutes')
    expect(await world.sweep()).toMatchObject({ settled: 0 })
    await expectHeld(world, mediaId, postId)
    await happens(world, postId, 'PostPublished', 8)
    await world.remove(mediaId)
  })

  test('and stays so when the news of the retry are late', async () => {
    await using world = await mediaWorld()
    const { mediaId, postId } = await failedPost(world, { isKnown: true })
    await attach(world, [mediaId], postId, 4)
    world.postsHolding.add(postId)
    await letPass(world, '3 minutes')
    expect(await world.sweep()).toMatchObject({ settled: 1 })
    await expectHeld(world, mediaId, postId)
  })
})

test.for([true, false])(
  'a retry that did not come about lets the files go after a while, when the end before is known: %s',
  async (isKnown) => {
    await using world = await mediaWorld()
    const { mediaId, postId } = await failedPost(world, { isKnown })
    await attach(world, [mediaId], postId, 4)
    await happens(world, postId, 'PostFailed', 4)
    expect(await world.sweep()).toMatchObject({ settled: 0 })
    await letPass(world, '3 minutes')
    expect(await world.sweep()).toMatchObject({ settled: 1 })
    await world.remove(mediaId)
  },
)

test('what was asked before a retry held the files again does not end that hold', async () => {
  await using world = await mediaWorld({
    deps: () => ({
      posts: {
        get: async () => Promise.reject(new Error('not asked')),
        // While posts answers that nobody needs the files, the next retry holds them.
        holding: async () => {
          await attach(world, [mediaId], postId, 4)
          return { data: [] }
        },
      },
    }),
  })
  const { mediaId, postId } = await failedPost(world, { isKnown: true })
  await attach(world, [mediaId], postId, 4)
  await letPass(world, '3 minutes')
  await world.sweep()
  await expectHeld(world, mediaId, postId)
})

test('a file that is gone cannot be held again: 422', async () => {
  await using world = await mediaWorld()
  const { mediaId, postId } = await failedPost(world, { isKnown: true })
  await world.remove(mediaId)
  expect(await refusalOf(attach(world, [mediaId], postId, 4))).toMatchObject({
    code: 'validation_failed',
    status: 422,
  })
})

describe('looking at files without holding them', () => {
  test('answers what holding them would', async () => {
    await using world = await mediaWorld()
    const [one, two] = [await uploaded(world), await uploaded(world)]
    const mediaIds = [two.id, one.id]
    const { data } = await world.handlers.getForPosting({ organizationId: world.own, mediaIds })
    expect((await world.pool.query('select from attachments')).rowCount).toBe(0)
    expect(data).toEqual((await attach(world, mediaIds, newId('post'))).data)
  })

  test('refuses what holding them would, in the same words', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const organizationId = world.own
    for (const mediaIds of [[id, newId('media')], ['nonsense']]) {
      const refusal = await refusalOf(world.handlers.getForPosting({ organizationId, mediaIds }))
      expect(refusal.toBody()).toEqual(
        (await refusalOf(attach(world, mediaIds, newId('post')))).toBody(),
      )
    }
    const foreign = { organizationId: newId('organization'), mediaIds: [id] }
    expect(await refusalOf(world.handlers.getForPosting(foreign))).toMatchObject({ status: 422 })
  })
})
