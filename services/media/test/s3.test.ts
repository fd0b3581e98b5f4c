import { buffer } from 'node:stream/consumers'
import { createS3Storage } from '@herald/storage/s3-storage'
import { testS3 } from '@herald/testing/s3'
import { afterAll, describe, expect, test } from 'vitest'
import { pngOfSize } from './pictures.ts'
import { letPass, mediaWorld, origin, put, uploaded } from './world.ts'

const found = await testS3()
const isMissing = typeof found === 'string'

afterAll(async () => {
  if (!isMissing) await found[Symbol.asyncDispose]()
})

describe.skipIf(isMissing)(`on an S3 server${isMissing ? ` (${found})` : ''}`, () => {
  test('files are uploaded, completed, imported, served and deleted', async () => {
    if (isMissing) return
    const bucket = `herald-${crypto.randomUUID()}`
    const storage = createS3Storage({ ...found, bucket })
    await storage.ensureBucket()
    await using world = await mediaWorld({ storage })
    const bytes = pngOfSize(300_000)

    const announced = await world.announce({ fileSize: bytes.length })
    expect(announced.upload.url).toContain(found.endpoint)
    expect((await put(announced, bytes)).status).toBe(200)
    expect((await put(announced, bytes)).status).toBe(412)
    const media = await world.complete(announced.media.id)
    expect(media.url).toContain(world.filesUrl)

    await using server = await origin((_request, response) => void response.end(bytes))
    const body = { url: server.url }
    const imported = await world.handlers.import({ caller: world.caller(), body })

    for (const { url, thumbnailUrl } of [media, imported]) {
      const whole = await fetch(url!)
      expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes)
      const part = await fetch(url!, { headers: { range: 'bytes=100000-100009' } })
      expect(part.status).toBe(206)
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(100_000, 100_010))
      expect((await fetch(thumbnailUrl!)).headers.get('content-type')).toBe('image/webp')
    }
    const [key] = (await world.objects()).filter((name) => name.startsWith('files/'))
    expect(await buffer(await storage.get(key!))).toEqual(bytes)
    expect(await world.objects()).toHaveLength(5)

    await world.remove(media.id)
    await world.remove(imported.id)
    expect((await fetch(media.url!)).status).toBe(404)
    await letPass(world, '36 minutes')
    await world.clean()
    expect(await world.objects()).toEqual([])
    expect(await world.used()).toBe(0)
  })

  test('503 while it cannot be reached, and nothing is held', async () => {
    const away = createS3Storage({
      endpoint: 'http://127.0.0.1:9',
      region: 'x',
      bucket: 'away',
      accessKey: 'a',
      secretKey: 'b',
    })
    await using world = await mediaWorld({ storage: away })
    await using server = await origin((_request, response) => void response.end(pngOfSize(1000)))
    const body = { url: server.url }
    const importing = world.handlers.import({ caller: world.caller(), body })
    await expect(importing).rejects.toMatchObject({ code: 'internal_error', status: 503 })
    expect(await world.used()).toBe(0)
    await expect(uploaded(world)).rejects.toThrow('fetch failed')
    const { rows } = await world.pool.query('select id from media')
    await expect(world.complete(rows[0].id)).rejects.toMatchObject({ status: 503 })
    await world.remove(rows[0].id)
  })
})
