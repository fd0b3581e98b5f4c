import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Media } from '@herald/contracts/media'
import { StorageUnavailable } from '@herald/storage/errors'
import type { Storage } from '@herald/storage/storage'
import { describe, expect, test } from 'vitest'
import { png } from './pictures.ts'
import { letPass, mediaWorld, origin, put, refusalOf, uploaded, type World } from './world.ts'

type Fault = { call: number; when: 'before' | 'after' }

/** Storage that fails once: at one of its calls, before or after it has done what was asked. */
function failingOnce(storage: Storage, { call, when }: Fault) {
  const state = { calls: 0, hasFailed: false }
  const fragile =
    <Input extends unknown[], Output>(work: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      state.calls += 1
      if (state.calls !== call) return work(...input)
      state.hasFailed = true
      if (when === 'after') await work(...input)
      throw new StorageUnavailable('It failed as planned.')
    }
  return {
    state,
    storage: {
      ...storage,
      presignPut: fragile((input) => storage.presignPut(input)),
      head: fragile((key) => storage.head(key)),
      get: fragile(async (...input: Parameters<Storage['get']>) => {
        const body = await storage.get(...input)
        if (state.calls === call) body.destroy()
        return body
      }),
      put: fragile((...input: Parameters<Storage['put']>) => storage.put(...input)),
      delete: fragile((key) => storage.delete(key)),
    } satisfies Storage,
  }
}

/** Does something again after it was answered that a part of Herald is away. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  return work().catch(async (error: unknown) => {
    expect(error).toMatchObject({ code: 'internal_error', status: 503 })
    return work()
  })
}

/** Objects and rows are 1:1, what is stored is what was checked, and every byte is counted once. */
async function expectNoOrphans(world: World): Promise<void> {
  const { rows } = await world.pool.query<{ key: string; sha256: string | null; size: number }>(
    `select object_key as key, sha256, size_bytes as size from media where status = 'ready'
     union all select thumbnail_key, null, 0 from media where thumbnail_key is not null
     union all select object_key, null, 0 from renditions where object_key is not null`,
  )
  expect(await world.objects()).toEqual(rows.map(({ key }) => key).toSorted())
  for (const { key, sha256 } of rows) {
    const bytes = await buffer(await world.storage.get(key))
    if (sha256) expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
    else expect(bytes.length).toBeGreaterThan(0)
  }
  expect(await world.used()).toBe(rows.reduce((sum, { size }) => sum + size, 0))
  expect((await world.pool.query('select from doomed_objects')).rowCount).toBe(0)
  expect((await world.pool.query('select from import_holds')).rowCount).toBe(0)
}

/** As if so much time had passed that nothing is waited for any more. */
async function tidyUp(world: World): Promise<void> {
  world.clock.offsetMs += 3_600_000
  await letPass(world, '1 hour')
  await world.sweep()
  await world.clean().catch(() => undefined)
  // What could not be removed waits for a minute.
  await letPass(world, '2 minutes')
  await world.clean()
}

/** A picture of a file for a platform that fetches it. */
const rendered = (world: World, { id: mediaId }: Media) =>
  world.handlers.rendition({
    organizationId: world.own,
    mediaId,
    limits: { mimeTypes: ['image/jpeg'], maxBytes: 8_000_000 },
  })

const CALLS = Array.from({ length: 13 }, (_, index) => index + 1)

describe('I18: storage that fails once, at call', () => {
  test.each(
    CALLS.flatMap(
      (call) =>
        [
          { call, when: 'before' },
          { call, when: 'after' },
        ] as const,
    ),
  )(
    '$call, $when its effect, leaves neither an object without a file nor a file without its object',
    async (fault) => {
      const bytes = png()
      await using server = await origin((_request, response) => void response.end(bytes))
      let failing: ReturnType<typeof failingOnce> | undefined
      await using world = await mediaWorld({
        deps: ({ storage }) => {
          failing = failingOnce(storage, fault)
          return { storage: failing.storage }
        },
      })
      const announced = await untilItWorks(() => world.announce())
      expect((await put(announced, bytes)).status).toBe(200)
      const kept = await untilItWorks(() => world.complete(announced.media.id))
      const body = { url: server.url }
      const gone = await untilItWorks(() => world.handlers.import({ caller: world.caller(), body }))
      const rendition = await untilItWorks(() => rendered(world, gone))
      expect((await fetch(rendition.url)).status).toBe(200)
      await world.remove(gone.id)
      await tidyUp(world)
      expect(failing?.state.hasFailed).toBe(true)
      await expectNoOrphans(world)
      const served = await fetch(kept.url!)
      expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes)
      expect((await fetch(gone.url!)).status).toBe(404)
      expect((await fetch(rendition.url)).status).toBe(404)
    },
  )

  test('none of the calls is forgotten here', async () => {
    let failing: ReturnType<typeof failingOnce> | undefined
    await using world = await mediaWorld({
      deps: ({ storage }) => {
        failing = failingOnce(storage, { call: Infinity, when: 'before' })
        return { storage: failing.storage }
      },
    })
    await using server = await origin((_request, response) => void response.end(png()))
    await uploaded(world)
    const body = { url: server.url }
    const gone = await world.handlers.import({ caller: world.caller(), body })
    await rendered(world, gone)
    await world.remove(gone.id)
    await tidyUp(world)
    await expectNoOrphans(world)
    // An address, head, get and two puts; two puts; get and put; four deletions.
    expect(failing?.state.calls).toBe(13)
  })
})

/** A world whose storage puts through `around`. */
function worldPutting(around: (world: () => World, put: () => Promise<void>) => Promise<void>) {
  let world: World | undefined
  const known = () => world!
  return mediaWorld({
    connections: 20,
    deps: ({ storage }) => ({
      storage: {
        ...storage,
        put: (...input) => around(known, () => storage.put(...input)),
      },
    }),
  }).then((made) => (world = made))
}

describe('the cleaner against those who are at work', () => {
  test('objects that were removed before they had an owner are refused, and the same request works again', async () => {
    let isSlow = true
    await using world = await worldPutting(async (known, put) => {
      await put()
      if (!isSlow) return
      // As if the quarter of an hour had passed.
      await letPass(known(), '16 minutes')
      await known().clean()
    })
    const announced = await world.announce()
    await put(announced, png())
    // Only the doomed objects are late here, not the window of the upload.
    await world.pool.query(`update media set expires_at = expires_at + interval '1 hour'`)
    expect(await refusalOf(world.complete(announced.media.id))).toMatchObject({
      code: 'conflict',
      status: 409,
      message: 'The check of the file took too long. Try again.',
    })
    await using server = await origin((_request, response) => void response.end(png()))
    const body = { url: server.url }
    expect(await refusalOf(world.handlers.import({ caller: world.caller(), body }))).toMatchObject({
      status: 503,
    })
    await world.clean()
    expect(await world.objects()).toEqual([])
    await world.remove(announced.media.id)
    isSlow = false
    await uploaded(world)
    await world.handlers.import({ caller: world.caller(), body })
    await tidyUp(world)
    await expectNoOrphans(world)
    expect((await world.list()).data).toHaveLength(2)
  })

  test('100 times a cleaner meets a complete: the file has its objects, or neither exists', async () => {
    await using world = await mediaWorld({ connections: 20 })
    const outcomes = { ready: 0, refused: 0 }
    for (let run = 0; run < 100; run++) {
      const announced = await world.announce()
      await put(announced, png())
      let isOver = false
      const completing = world.complete(announced.media.id).finally(() => (isOver = true))
      const cleaning = (async () => {
        for (let turn = 0; !isOver; turn++) {
          // What has no owner yet is doomed to go at once, except in every fifth run, where the cleaner comes too early.
          if (run % 5 !== 0 && turn % 4 === run % 4)
            await world.pool.query(
              `update doomed_objects set not_before = now() where id like 'files/%'`,
            )
          await world.clean()
        }
      })()
      const outcome = await completing.then(
        () => 'ready' as const,
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'conflict', status: 409 })
          return 'refused' as const
        },
      )
      await cleaning
      outcomes[outcome] += 1
      if (outcome === 'refused') await world.remove(announced.media.id)
    }
    await tidyUp(world)
    await expectNoOrphans(world)
    expect((await world.list()).data).toHaveLength(outcomes.ready)
    expect(outcomes.ready).toBeGreaterThanOrEqual(20)
  })

  test('F43: a put that was given up and takes effect later leaves nothing behind', async () => {
    await using world = await worldPutting(async () => {
      throw new StorageUnavailable('No answer in time.')
    })
    const announced = await world.announce()
    await put(announced, png())
    expect(await refusalOf(world.complete(announced.media.id))).toMatchObject({ status: 503 })
    await world.clean()
    const { rows } = await world.pool.query<{ keys: string[] }>(
      `select keys from doomed_objects where id like 'files/%'`,
    )
    for (const key of rows[0]!.keys)
      await world.storage.put(key, png(), { contentType: 'image/png', contentLength: png().length })
    expect((await world.objects()).filter((key) => !key.startsWith('uploads/'))).toHaveLength(2)
    await tidyUp(world)
    await expectNoOrphans(world)
  })

  test('an object that cannot be removed keeps no other from being removed', async () => {
    let poisoned = ''
    await using world = await mediaWorld({
      deps: ({ storage }) => ({
        storage: {
          ...storage,
          delete: async (key) => {
            if (key === poisoned) throw new StorageUnavailable('Not this one.')
            await storage.delete(key)
          },
        },
      }),
    })
    const [first, second] = [await uploaded(world), await uploaded(world)]
    poisoned = new URL(first.url!).pathname.slice(1)
    await world.remove(first.id)
    await world.remove(second.id)
    await expect(world.clean()).rejects.toThrow('Not this one.')
    await world.clean()
    const left = (await world.objects()).filter((key) => !key.startsWith('uploads/'))
    expect(left).toContain(poisoned)
    expect(left).not.toContain(new URL(second.url!).pathname.slice(1))
    poisoned = ''
    await tidyUp(world)
    await expectNoOrphans(world)
  })
})

describe('F45: a file whose object has vanished', () => {
  const lost = async (world: World): Promise<Media> => {
    const media = await uploaded(world)
    await world.storage.delete(new URL(media.url!).pathname.slice(1))
    return media
  }

  test('is 404 to readers, keeps its place in the library, and can be deleted', async () => {
    await using world = await mediaWorld()
    const media = await lost(world)
    expect((await fetch(media.url!)).status).toBe(404)
    expect((await fetch(media.thumbnailUrl!)).status).toBe(200)
    expect(await world.get(media.id)).toEqual(media)
    await world.remove(media.id)
    await tidyUp(world)
    await expectNoOrphans(world)
  })
})

test('two completes in two processes of bytes that are no picture: both are refused, and nothing is kept', async () => {
  await using world = await mediaWorld()
  const { mediaHandlers } = await import('../src/handlers.ts')
  const second = mediaHandlers(world.deps)
  for (let run = 0; run < 10; run++) {
    const announced = await world.announce({ fileSize: 100 })
    await put(announced, Buffer.alloc(100))
    const input = { caller: world.caller(), mediaId: announced.media.id }
    const refusals = await Promise.all(
      [world.handlers, second].map((handlers) => refusalOf(handlers.complete(input))),
    )
    for (const { status } of refusals) expect([409, 422]).toContain(status)
    expect(refusals.map(({ status }) => status)).toContain(422)
    expect(await world.objects()).toEqual([])
  }
})

test('a cleaner that dies between storage and database comes to the same end', async () => {
  await using world = await mediaWorld()
  const media = await uploaded(world)
  await world.remove(media.id)
  // As its transaction leaves it when the process dies: the objects are gone and the entry is still there.
  for (const key of await world.objects()) await world.storage.delete(key)
  await tidyUp(world)
  await expectNoOrphans(world)
})
