import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { importHold } from '../src/import-hold.ts'
import { png, pngOfSize } from './pictures.ts'
import { letPass, mediaWorld, origin, put, refusalOf, uploaded, type World } from './world.ts'

/** How many of the calls were granted; the others must be `limit_reached`. */
async function granted(calls: Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'limit_reached', status: 409 })
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

const limitedTo = (maxStoredBytes: number) => mediaWorld({ settings: { maxStoredBytes } })

describe('bytes are reserved when an upload is announced', () => {
  test('194: exactly what fits is granted, and the refusal tells the limit and the use', async () => {
    await using world = await limitedTo(1000)
    await world.announce({ fileSize: 600 })
    const refusal = await refusalOf(world.announce({ fileSize: 401 }))
    expect(refusal).toMatchObject({
      code: 'limit_reached',
      status: 409,
      details: { limitBytes: 1000, usedBytes: 600 },
    })
    await world.announce({ fileSize: 400 })
    expect(await world.used()).toBe(1000)
  })

  test('one file larger than all there is', async () => {
    await using world = await limitedTo(100)
    expect(await refusalOf(world.announce({ fileSize: 101 }))).toMatchObject({
      code: 'limit_reached',
    })
    expect(await world.used()).toBe(0)
  })

  test('200 calls at the same time are granted exactly as many as fit', async () => {
    await using world = await limitedTo(1000)
    const calls = Array.from({ length: 200 }, () => world.announce({ fileSize: 30 }))
    expect(await granted(calls)).toBe(33)
    expect(await world.used()).toBe(990)
  })

  test('organizations do not share a limit', async () => {
    await using world = await limitedTo(1000)
    await world.announce({ fileSize: 1000 })
    const other = world.caller(newId('organization'))
    await world.announce({ fileSize: 1000 }, other)
    expect(await world.used()).toBe(1000)
  })
})

describe('bytes come back', () => {
  test('when a file is deleted, pending or ready', async () => {
    await using world = await mediaWorld()
    const { media } = await world.announce({ fileSize: 500 })
    const ready = await uploaded(world)
    expect(await world.used()).toBe(500 + png().length)
    await world.remove(media.id)
    expect(await world.used()).toBe(png().length)
    await world.remove(ready.id)
    expect(await world.used()).toBe(0)
  })

  test('193: when 15 minutes have passed without a file, once', async () => {
    await using world = await limitedTo(1000)
    const announced = await Promise.all(
      Array.from({ length: 100 }, () => world.announce({ fileSize: 10 })),
    )
    expect(await world.sweep()).toMatchObject({ failed: 0 })
    await letPass(world, '18 minutes')
    world.clock.offsetMs = 18 * 60_000
    expect(await world.sweep()).toMatchObject({ failed: 100, corrected: 0 })
    expect(await world.used()).toBe(0)
    expect(await world.sweep()).toMatchObject({ failed: 0, corrected: 0 })
    expect((await world.get(announced[0]!.media.id)).status).toBe('failed')
    await world.remove(announced[0]!.media.id)
    expect(await world.used()).toBe(0)
  })

  test('two sweeps and a deletion at the same time give them back once', async () => {
    await using world = await mediaWorld()
    const { media } = await world.announce({ fileSize: 500 })
    await world.announce({ fileSize: 70 })
    await letPass(world, '18 minutes')
    world.clock.offsetMs = 18 * 60_000
    await Promise.all([world.sweep(), world.sweep(), world.remove(media.id)])
    await world.sweep()
    expect(await world.used()).toBe(0)
  })
})

describe('an import', () => {
  test('186: 50 at the same time are granted what fits, whatever lengths their servers announce', async () => {
    const bytes = pngOfSize(1000)
    await using server = await origin((request, response) => {
      if (request.url === '/announced') response.setHeader('Content-Length', bytes.length)
      response.write(bytes.subarray(0, 500))
      response.end(bytes.subarray(500))
    })
    await using world = await limitedTo(10_500)
    const calls = Array.from({ length: 50 }, (_, index) =>
      importFrom(world, `${server.url}/${index % 2 ? 'announced' : 'chunked'}`),
    )
    const count = await granted(calls)
    // Imports under way hold a little more than their files, so fewer may be granted, but never more than fit.
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(10)
    expect(await world.used()).toBe(count * 1000)
    expect((await world.pool.query('select from import_holds')).rowCount).toBe(0)
  })

  test('takes up no more than its file, also when its length was not announced', async () => {
    await using server = await origin((_request, response) => {
      response.write(png())
      response.end()
    })
    await using world = await limitedTo(png().length)
    await importFrom(world, server.url)
    expect(await world.used()).toBe(png().length)
  })

  test('that fails gives back what it held', async () => {
    await using server = await origin((_request, response) => void response.end('no picture'))
    await using world = await mediaWorld()
    expect(await refusalOf(importFrom(world, server.url))).toMatchObject({ status: 422 })
    expect(await world.used()).toBe(0)
  })

  test('that died gives back what it held after 5 minutes', async () => {
    await using world = await mediaWorld()
    await importHold(world.pool, world.own, 10_000).cover(5000)
    expect(await world.used()).toBe(5000)
    expect(await world.sweep()).toMatchObject({ holds: 0 })
    await letPass(world, '6 minutes')
    expect(await world.sweep()).toMatchObject({ holds: 1, corrected: 0 })
    expect(await world.used()).toBe(0)
  })
})

test('a sum of bytes that is wrong is put right and counted', async () => {
  await using world = await mediaWorld()
  await world.announce({ fileSize: 500 })
  await world.pool.query('update storage_use set bytes = 7')
  expect(await world.sweep()).toMatchObject({ corrected: 1 })
  expect(await world.used()).toBe(500)
})

test('a file that was put but never completed leaves storage when its window has passed', async () => {
  await using world = await mediaWorld()
  await put(await world.announce(), png())
  await world.clean()
  expect(await world.objects()).toHaveLength(1)
  world.clock.offsetMs = 18 * 60_000
  await letPass(world, '36 minutes')
  await world.sweep()
  await world.clean()
  expect(await world.objects()).toEqual([])
})

function importFrom(world: World, url: string) {
  return world.handlers.import({ caller: world.caller(), body: { url } })
}
