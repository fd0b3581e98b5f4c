import { expect, test } from 'vitest'
import { addAttempts, recordPublished, reject } from '../src/attempts.ts'
import { forgetOldAttempts, markReported, takeReports } from '../src/reports.ts'
import {
  held,
  letPass,
  newAttempt,
  publisherWorld,
  PUBLISHED,
  REJECTED,
  rowOf,
  type World,
} from './world.ts'

const AGAIN_SECONDS = 5

const reports = ({ pool }: World) => takeReports(pool, 10, AGAIN_SECONDS)

test('only ended attempts are reported, with whose and what they are', async () => {
  await using world = await publisherWorld()
  await held(world)
  const attempt = await held(world)
  expect(await reports(world)).toEqual([])
  await reject(world.pool, attempt, REJECTED)
  expect(await reports(world)).toEqual([
    {
      post_id: attempt.post_id,
      channel_id: attempt.channel_id,
      generation: attempt.generation,
      organization_id: attempt.organization_id,
      outcome: REJECTED,
      traceparent: null,
    },
  ])
})

test('a report comes again until it is acknowledged, and then no more', async () => {
  await using world = await publisherWorld()
  await reject(world.pool, await held(world), REJECTED)
  const [first] = await reports(world)
  expect(await reports(world)).toEqual([])
  await letPass(world, `${AGAIN_SECONDS} seconds`)
  expect(await reports(world)).toEqual([first])
  await markReported(world.pool, first!)
  await letPass(world, '1 hour')
  expect(await reports(world)).toEqual([])
})

test('an outcome that changed while the old one was reported stays to be reported', async () => {
  await using world = await publisherWorld()
  const attempt = await held(world)
  await reject(world.pool, attempt, REJECTED)
  const [old] = await reports(world)
  await recordPublished(world.pool, attempt, PUBLISHED)
  await markReported(world.pool, old!)
  const [changed] = await reports(world)
  expect(changed).toMatchObject({ outcome: PUBLISHED })
  await markReported(world.pool, changed!)
  expect((await rowOf(world, attempt)).next_report_at).toBeNull()
})

test('several reporters at once take each report once', async () => {
  await using world = await publisherWorld(20)
  const attempts = Array.from({ length: 100 }, () => newAttempt())
  await addAttempts(world.pool, attempts)
  for (const attempt of attempts) await recordPublished(world.pool, attempt, PUBLISHED)
  const taken = await Promise.all(
    Array.from({ length: 20 }, () => takeReports(world.pool, 10, 600)),
  )
  const rest = await takeReports(world.pool, 100, 600)
  const ids = [...taken.flat(), ...rest].map(({ post_id }) => post_id)
  expect(ids.toSorted()).toEqual(attempts.map(({ post_id }) => post_id).toSorted())
})

test('what ended and was reported is forgotten after 60 days, and nothing else', async () => {
  await using world = await publisherWorld()
  const reported = await held(world)
  await reject(world.pool, reported, REJECTED)
  await markReported(world.pool, (await reports(world))[0]!)
  const unreported = await held(world)
  await reject(world.pool, unreported, REJECTED)
  await letPass(world, '59 days')
  const open = await held(world)
  await forgetOldAttempts(world.pool)
  await rowOf(world, reported)
  await letPass(world, '2 days')
  await forgetOldAttempts(world.pool)
  const { rows } = await world.pool.query<{ post_id: string }>('select post_id from attempts')
  expect(rows.map(({ post_id }) => post_id).toSorted()).toEqual(
    [unreported, open].map(({ post_id }) => post_id).toSorted(),
  )
})
