import { expect, test } from 'vitest'
import { publish } from '../src/publish.ts'
import { publishingWorld } from './publishing-world.ts'
import { comeDue, held, LIVE, rowOf, take } from './world.ts'

const LOST = { outcome: 'unprepared', message: 'The upload is gone.' } as const

test('what a platform has lost of the steps before the call is done again, from the beginning', async () => {
  await using world = await publishingWorld()
  world.script.commit = () => LOST
  const attempt = await held(world)
  await publish(world.deps, attempt)
  expect(await rowOf(world, attempt)).toMatchObject({
    state: 'claimed',
    step: null,
    is_prepared: false,
    tries: 1,
  })
  expect(world.calls.results).toMatchObject([{ outcome: 'delayed', errorCode: 'unprepared' }])

  world.script.prepare = () => ({ outcome: 'ready', step: { prepared: 'again' } })
  world.script.commit = () => ({ outcome: 'published', ...LIVE })
  await comeDue(world)
  await publish(world.deps, await take(world, 'claimed'))
  expect(world.calls.prepare.map(({ step }) => step)).toEqual([undefined, undefined])
  expect(world.calls.commit.map(({ step }) => step)).toEqual([
    { prepared: true },
    { prepared: 'again' },
  ])
  expect(await rowOf(world, attempt)).toMatchObject({ state: 'published', tries: 2 })
})

test('a platform that loses it again and again has ended the post at the fourth try', async () => {
  await using world = await publishingWorld()
  world.script.commit = () => LOST
  const attempt = await held(world)
  await publish(world.deps, attempt)
  for (let tries = 2; tries <= 4; tries += 1) {
    await comeDue(world)
    await publish(world.deps, await take(world, 'claimed'))
  }
  expect(await rowOf(world, attempt)).toMatchObject({
    state: 'rejected',
    outcome: { errorCode: 'media_missing', error: LOST.message, retryable: false, attempts: 4 },
  })
})
