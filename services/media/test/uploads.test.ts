import { createHash } from 'node:crypto'
import { MediaUpload } from '@herald/contracts/media'
import { newId } from '@herald/contracts/ids'
import { loadEvents } from '@herald/event-store/handle'
import { describe, expect, test } from 'vitest'
import { gif, pdf, png } from './pictures.ts'
import { mediaWorld, put, refusalOf, uploaded } from './world.ts'

describe('announcing an upload', () => {
  test('201: gives a pending file, an address good for 15 minutes, and says what to do', async () => {
    await using world = await mediaWorld()
    const announced = MediaUpload.parse(await world.announce({ altText: 'A square' }))
    expect(announced.media).toMatchObject({
      status: 'pending',
      type: 'image',
      fileName: 'picture.png',
      mimeType: 'image/png',
      sizeBytes: png().length,
      url: null,
      thumbnailUrl: null,
      altText: 'A square',
    })
    const { createdAt } = announced.media
    expect(Date.parse(announced.upload.expiresAt) - Date.parse(createdAt)).toBe(900_000)
    expect(announced.next).toContain(`/v1/media/${announced.media.id}/complete`)
    expect(await world.get(announced.media.id)).toEqual(announced.media)
  })

  test.each([
    ['photo.exe', 'image/png', false],
    ['photo.pdf', 'image/png', false],
    ['photo.PNG', 'image/png', true],
    ['photo.jpeg', 'image/jpeg', true],
    ['photo', 'image/png', true],
    ['photo.final', 'image/png', true],
    ['2026.11.21', 'image/png', true],
    ['.htaccess', 'image/png', true],
    ['clip.html', 'video/mp4', false],
    ['deck.pptx', 'application/pdf', false],
  ])('192: the name %s for the type %s is accepted: %s', async (fileName, mimeType, isAccepted) => {
    await using world = await mediaWorld()
    const call = world.announce({ fileName, mimeType: mimeType as 'image/png' })
    if (isAccepted) expect((await call).media.fileName).toBe(fileName)
    else expect(await refusalOf(call)).toMatchObject({ status: 422, code: 'validation_failed' })
  })
})

describe('completing an upload', () => {
  test('200: pending becomes ready, with its dimensions, a hash, an address and a thumbnail', async () => {
    await using world = await mediaWorld()
    const bytes = png(640, 480)
    const media = await uploaded(world, bytes)
    expect(media).toMatchObject({
      status: 'ready',
      type: 'image',
      mimeType: 'image/png',
      sizeBytes: bytes.length,
      width: 640,
      height: 480,
      description: null,
    })
    const { rows } = await world.pool.query('select sha256 from media')
    expect(rows).toEqual([{ sha256: createHash('sha256').update(bytes).digest('hex') }])
    const served = await fetch(media.url!)
    expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes)
    const thumbnail = await fetch(media.thumbnailUrl!)
    expect(thumbnail.headers.get('content-type')).toBe('image/webp')
  })

  test('200: ready stays ready when it is completed again', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    expect(await world.complete(media.id)).toEqual(media)
    expect(await loadEvents(world.pool, media.id, world.own)).toHaveLength(2)
  })

  test('207: 50 at the same time all answer the same file, and it becomes ready once', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    await put(announced, png())
    const another = await import('../src/handlers.ts')
    // Half of them come to a second process of the service.
    const second = another.mediaHandlers(world.deps)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? world.handlers : second).complete({
          caller: world.caller(),
          mediaId: announced.media.id,
        }),
      ),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const events = await loadEvents(world.pool, announced.media.id, world.own)
    expect(events.map(({ type }) => type)).toEqual(['UploadStarted', 'UploadCompleted'])
    await world.clean()
    const kept = (await world.objects()).filter((key) => !key.startsWith('uploads/'))
    expect(kept).toHaveLength(2)
  })

  test('206: 409 conflict, and it stays pending, while nothing has been uploaded', async () => {
    await using world = await mediaWorld()
    const { media } = await world.announce()
    expect(await refusalOf(world.complete(media.id))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
    expect((await world.get(media.id)).status).toBe('pending')
  })

  test.each([
    ['no picture at all', Buffer.from('<html></html>'.padEnd(100))],
    ['half a picture', png(400, 400).subarray(0, 200)],
    ['237: one byte', Buffer.of(1)],
    ['236: a document', pdf()],
  ])('422: %s; it stays pending, and the bytes can be sent again', async (_name, bytes) => {
    await using world = await mediaWorld()
    const announced = await world.announce({ fileSize: bytes.length })
    expect((await put(announced, bytes)).status).toBe(200)
    const refusal = await refusalOf(world.complete(announced.media.id))
    expect(refusal).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(refusal.message).toMatch(/^[A-Z].*\.$/)
    expect((await world.get(announced.media.id)).status).toBe('pending')
    expect((await put(announced, bytes)).status).toBe(200)
  })

  test('a picture of another type than announced is what it is', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, gif(), { fileName: 'a', mimeType: 'image/jpeg' })
    expect(media).toMatchObject({ type: 'gif', mimeType: 'image/gif', width: 1, height: 1 })
  })

  test('a document has no dimensions', async () => {
    await using world = await mediaWorld()
    const body = { fileName: 'a.pdf', mimeType: 'application/pdf' } as const
    const media = await uploaded(world, pdf(), body)
    expect(media).toMatchObject({
      type: 'document',
      status: 'ready',
      width: null,
      height: null,
      thumbnailUrl: null,
    })
  })

  test('208: 404 for a file of another organization, an unknown one, and 209 a deleted one', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    await put(announced, png())
    const notFound = { status: 404, code: 'not_found', message: 'There is no such file.' }
    const other = world.caller(newId('organization'))
    expect(await refusalOf(world.complete(announced.media.id, other))).toMatchObject(notFound)
    expect(await refusalOf(world.complete(newId('media')))).toMatchObject(notFound)
    await world.remove(announced.media.id)
    expect(await refusalOf(world.complete(announced.media.id))).toMatchObject(notFound)
  })

  test('211: 409 after the 15 minutes, also when the bytes are there; the file has failed', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    await put(announced, png())
    world.clock.offsetMs = 900_000
    expect(await refusalOf(world.complete(announced.media.id))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
    expect((await world.get(announced.media.id)).status).toBe('failed')
  })
})

describe('what was checked cannot be changed', () => {
  test('202: a second PUT is 412, before and after the file is ready', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    const [first, second] = [png(4, 3, [1, 2, 3]), png(4, 3, [3, 2, 1])]
    expect((await put(announced, first)).status).toBe(200)
    expect(second).toHaveLength(first.length)
    expect((await put(announced, second)).status).toBe(412)
    const media = await world.complete(announced.media.id)
    expect((await put(announced, second)).status).toBe(412)
    expect(Buffer.from(await (await fetch(media.url!)).arrayBuffer())).toEqual(first)
  })

  test('203: 200 times a PUT meets a complete; what is served is what was hashed', async () => {
    await using world = await mediaWorld()
    const [first, second] = [png(4, 3, [1, 2, 3]), png(4, 3, [3, 2, 1])]
    for (let run = 0; run < 200; run++) {
      const announced = await world.announce()
      if (run % 2) await put(announced, first)
      await Promise.allSettled([
        world.complete(announced.media.id),
        put(announced, run % 2 ? second : first),
      ])
      const completed = await world.complete(announced.media.id)
      const { rows } = await world.pool.query('select sha256 from media where id = $1', [
        completed.id,
      ])
      const served = Buffer.from(await (await fetch(completed.url!)).arrayBuffer())
      expect(rows[0]?.sha256).toBe(createHash('sha256').update(served).digest('hex'))
      expect(served).toEqual(first)
    }
  })
})
