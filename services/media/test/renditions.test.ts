import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import type { Media, PictureLimits } from '@herald/contracts/media'
import { newId } from '@herald/contracts/ids'
import { createS3Storage } from '@herald/storage/s3-storage'
import { testS3 } from '@herald/testing/s3'
import { afterAll, describe, expect, test } from 'vitest'
import { WorkersBusy } from '@herald/media-files/workers-busy'
import { mediaHandlers } from '../src/handlers.ts'
import { png } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { letPass, mediaWorld, refusalOf, uploaded, type World } from './world.ts'

const JPEG: PictureLimits = { mimeTypes: ['image/jpeg'], maxBytes: 8_000_000 }

const ask = (
  world: World,
  { id }: Pick<Media, 'id'>,
  limits = JPEG,
  organizationId = world.own,
  handlers = world.handlers,
) => handlers.rendition({ organizationId, mediaId: id, limits })

/** A world that counts how often a picture is converted. */
async function countingWorld() {
  const count = { conversions: 0 }
  const world = await mediaWorld({
    deps: ({ convertImage }) => ({
      convertImage: (...input) => {
        count.conversions += 1
        return convertImage(...input)
      },
    }),
  })
  return Object.assign(world, { count })
}

const renditionKeys = async (world: World) =>
  (await world.objects()).filter((key) => key.startsWith('renditions/'))

describe('a picture for platforms that fetch it', () => {
  test('is the file itself, at its own address, when it fits as it is', async () => {
    await using world = await countingWorld()
    const media = await uploaded(world)
    const limits = { mimeTypes: ['image/png', 'image/jpeg'], maxBytes: 1_000_000 }
    const { url, width, height } = media
    for (let times = 0; times < 2; times++)
      expect(await ask(world, media, limits)).toEqual({ url, mimeType: 'image/png', width, height })
    expect(world.count.conversions).toBe(1)
    expect(await renditionKeys(world)).toEqual([])
  })

  test('is converted once for the same limits, however they are written, and served as what it is', async () => {
    await using world = await countingWorld()
    const media = await uploaded(world)
    const made = await ask(world, media)
    expect(made).toEqual({
      url: expect.stringMatching(/\/renditions\/[0-9a-f]{40}\.jpg$/),
      mimeType: 'image/jpeg',
      width: 4,
      height: 3,
    })
    const again = { maxBytes: 8_000_000, mimeTypes: ['image/jpeg', 'image/jpeg'] }
    expect(await ask(world, media, again)).toEqual(made)
    expect(world.count.conversions).toBe(1)
    const other = await ask(world, media, { ...JPEG, maxWidth: 2 })
    expect(other).toMatchObject({ width: 2, height: 1 })
    expect(other.url).not.toBe(made.url)
    expect(await renditionKeys(world)).toHaveLength(2)
    expect(await world.used()).toBe(media.sizeBytes)
  })

  test('is given by GET and HEAD with its type and length, without cookies or redirects, in plain ASCII', async () => {
    await using world = await mediaWorld()
    const { url } = await ask(world, await uploaded(world))
    expect(url).toMatch(/^[\x21-\x7e]+$/)
    const [get, head, part] = await Promise.all([
      fetch(url, { redirect: 'error' }),
      fetch(url, { method: 'HEAD', redirect: 'error' }),
      fetch(url, { headers: { range: 'bytes=0-2' } }),
    ])
    const bytes = Buffer.from(await get.arrayBuffer())
    expect(bytes.subarray(0, 3)).toEqual(Buffer.of(0xff, 0xd8, 0xff))
    for (const { status, headers } of [get, head]) {
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('image/jpeg')
      expect(headers.get('content-length')).toBe(String(bytes.length))
      expect(headers.get('content-disposition')).toMatch(/^inline; filename="picture.jpg"/)
      expect(headers.get('etag')).toBe(`"${/[0-9a-f]{40}/.exec(url)![0]}"`)
      expect(headers.has('set-cookie')).toBe(false)
    }
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(0, 3))
  })

  test('of an animation of a type that is not taken is its first frame', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, SAMPLES.gif, { fileName: 'a.gif', mimeType: 'image/gif' })
    expect(await ask(world, media)).toMatchObject({ mimeType: 'image/jpeg' })
  })

  test.each([
    ['it cannot be made to fit', png(), 'image/png', { ...JPEG, maxBytes: 10 }],
    ['it is no picture', SAMPLES.pdf, 'application/pdf', JPEG],
  ] as const)(
    '422: is refused when %s, and nothing is kept',
    async (_name, bytes, mimeType, limits) => {
      await using world = await mediaWorld()
      const fileName = 'a file'
      const media = await uploaded(world, bytes, { fileName, mimeType })
      const before = await world.objects()
      expect(await refusalOf(ask(world, media, { ...limits }))).toMatchObject({
        code: 'validation_failed',
      })
      expect(await world.objects()).toEqual(before)
    },
  )

  test("404: is not there for a file that is unknown, gone or another organization's", async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const unknown = { id: newId('media') }
    await ask(world, media)
    const stranger = newId('organization')
    const refusals = await Promise.all([
      refusalOf(ask(world, unknown)),
      refusalOf(ask(world, media, JPEG, stranger)),
      refusalOf(ask(world, media, { ...JPEG, maxWidth: 1 }, stranger)),
    ])
    expect(refusals.map(({ code }) => code)).toEqual(Array(3).fill('not_found'))
    await world.remove(media.id)
    expect(await refusalOf(ask(world, media))).toMatchObject({ code: 'not_found' })
  })

  test('404: is not there when the bytes of the file are lost', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await world.storage.delete(new URL(media.url!).pathname.slice(1))
    expect(await refusalOf(ask(world, media))).toMatchObject({ code: 'not_found' })
  })

  test('F44, 503: is not made from bytes that are not those that were checked', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const key = new URL(media.url!).pathname.slice(1)
    const bytes = png(4, 3, [1, 2, 3])
    await world.storage.put(key, bytes, { contentType: 'image/png', contentLength: bytes.length })
    expect(await refusalOf(ask(world, media))).toMatchObject({ status: 503 })
    expect(await renditionKeys(world)).toEqual([])
  })

  test('503: cannot be had while those who convert are busy', async () => {
    await using world = await mediaWorld({
      deps: () => ({ convertImage: () => Promise.reject(new WorkersBusy('Full.')) }),
    })
    expect(await refusalOf(ask(world, await uploaded(world)))).toMatchObject({ status: 503 })
  })
})

describe('of a picture that is asked for by several at the same time', () => {
  test('one is made in one process', async () => {
    await using world = await countingWorld()
    const media = await uploaded(world)
    const made = await Promise.all(Array.from({ length: 8 }, () => ask(world, media)))
    expect(new Set(made.map(({ url }) => url)).size).toBe(1)
    expect(world.count.conversions).toBe(1)
    expect(await renditionKeys(world)).toHaveLength(1)
  })

  test('one stays of those that several processes made, and all answer it', async () => {
    await using world = await mediaWorld({ connections: 20 })
    const media = await uploaded(world)
    const processes = Array.from({ length: 3 }, () => mediaHandlers(world.deps))
    const made = await Promise.all(
      processes.map((handlers) => ask(world, media, JPEG, world.own, handlers)),
    )
    expect(new Set(made.map(({ url }) => url)).size).toBe(1)
    await world.clean()
    expect(await renditionKeys(world)).toEqual([new URL(made[0]!.url).pathname.slice(1)])
  })
})

describe('a rendition goes with its file', () => {
  test('at once for readers, and its bytes with the next cleaning', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const { url } = await ask(world, media)
    await world.remove(media.id)
    expect((await fetch(url)).status).toBe(404)
    await world.clean()
    expect(await renditionKeys(world)).toEqual([])
    expect((await world.pool.query('select from renditions')).rowCount).toBe(0)
  })

  test('also when the file is deleted at any moment while it is made', async () => {
    // After each of these calls of storage and database the deletion comes in between.
    for (const moment of ['read', 'converted', 'put'] as const) {
      let remove = async () => {}
      await using world = await mediaWorld({
        deps: ({ storage, convertImage }) => ({
          storage: {
            ...storage,
            get: async (...input) => {
              const body = await storage.get(...input)
              if (moment === 'read') await remove()
              return body
            },
            put: async (...input) => {
              await storage.put(...input)
              if (moment === 'put') await remove()
            },
          },
          convertImage: async (...input) => {
            const picture = await convertImage(...input)
            if (moment === 'converted') await remove()
            return picture
          },
        }),
      })
      const media = await uploaded(world)
      remove = async () => {
        remove = async () => {}
        await world.remove(media.id)
      }
      expect(await refusalOf(ask(world, media))).toMatchObject({ code: 'not_found' })
      await letPass(world, '1 hour')
      await world.clean()
      expect(await world.objects()).toEqual([])
      expect((await world.pool.query('select from renditions')).rowCount).toBe(0)
    }
  })

  test('of a deletion and a rendition at the same time, nothing is left, 30 times', async () => {
    await using world = await mediaWorld({ connections: 20 })
    for (let run = 0; run < 30; run++) {
      const media = await uploaded(world)
      const asking = ask(world, media).catch((error: unknown) => error)
      for (let left = run * 20; left > 0; left--) await turn()
      await world.remove(media.id)
      const outcome = await asking
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'not_found' })
    }
    await letPass(world, '1 hour')
    await world.clean()
    expect(await world.objects()).toEqual([])
    expect((await world.pool.query('select from renditions')).rowCount).toBe(0)
  })
})

const found = await testS3()
const isMissing = typeof found === 'string'

afterAll(async () => {
  if (!isMissing) await found[Symbol.asyncDispose]()
})

describe.skipIf(isMissing)(`on an S3 server${isMissing ? ` (${found})` : ''}`, () => {
  test('a rendition is made, served, answered again, and goes with its file', async () => {
    if (isMissing) return
    const storage = createS3Storage({ ...found, bucket: `herald-${crypto.randomUUID()}` })
    await storage.ensureBucket()
    await using world = await mediaWorld({ storage })
    const media = await uploaded(world)
    const made = await ask(world, media)
    expect(await ask(world, media)).toEqual(made)
    const [key = ''] = await renditionKeys(world)
    const answer = await fetch(made.url)
    expect(answer.headers.get('content-type')).toBe('image/jpeg')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(await buffer(await storage.get(key)))
    await world.remove(media.id)
    expect((await fetch(made.url)).status).toBe(404)
    await world.clean()
    expect(await renditionKeys(world)).toEqual([])
  })
})
