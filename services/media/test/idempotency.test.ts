import { handle, loadEvents } from '@herald/event-store/handle'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { mediaHandlers } from '../src/handlers.ts'
import { mediaStream } from '../src/media-stream.ts'
import { png } from './pictures.ts'
import { mediaWorld, origin, put, refusalOf, uploaded, type World } from './world.ts'

const IN_PROGRESS = { status: 409, details: { reason: 'idempotency_in_progress' } }
const REUSED = { status: 422, details: { reason: 'idempotency_key_reused' } }
const UPLOAD = { fileName: 'a.png', mimeType: 'image/png', fileSize: png().length } as const

const announce = (world: World, idempotencyKey: string, body: { fileSize?: number } = {}) =>
  world.handlers.createUpload({
    caller: world.caller(),
    body: { ...UPLOAD, ...body },
    idempotencyKey,
  })
const importFrom = (world: World, url: string, idempotencyKey: string) =>
  world.handlers.import({ caller: world.caller(), body: { url }, idempotencyKey })
const complete = (world: World, mediaId: string, idempotencyKey: string) =>
  world.handlers.complete({ caller: world.caller(), mediaId, idempotencyKey })

async function countFiles({ pool }: World): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int from media')
  return rows[0]?.count ?? 0
}

/** As if the processes that carry requests out had died a while ago. */
const letLeasesEnd = ({ pool }: World) =>
  pool.query('update idempotency_keys set held_until = now() where answer is null')

/** A server whose file comes when it is told to. */
async function slowOrigin() {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  let requests = 0
  const server = await origin((_request, response) => {
    requests += 1
    void mayAnswer.then(() => response.end(png()))
  })
  return { ...server, answer, requests: () => requests }
}

describe('an upload announced again with its Idempotency-Key', () => {
  test('is the first answer byte for byte, and reserves no more bytes', async () => {
    await using world = await mediaWorld()
    const first = await announce(world, 'a')
    const { isReplay, ...again } = await announce(world, 'a')
    expect(isReplay).toBe(true)
    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    expect(await countFiles(world)).toBe(1)
    expect(await world.used()).toBe(UPLOAD.fileSize)
    expect((await put(again, png())).status).toBe(200)
  })

  test('422: of another size is another request', async () => {
    await using world = await mediaWorld()
    await announce(world, 'a')
    expect(await refusalOf(announce(world, 'a', { fileSize: 1 }))).toMatchObject(REUSED)
  })

  test('50 times at once is announced once', async () => {
    await using world = await mediaWorld()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => announce(world, 'a')),
    )
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(IN_PROGRESS)
    expect(await countFiles(world)).toBe(1)
    expect(await world.used()).toBe(UPLOAD.fileSize)
  })

  test('after it was refused for lack of room it is judged anew', async () => {
    await using world = await mediaWorld({ settings: { maxStoredBytes: UPLOAD.fileSize } })
    const { media } = await world.announce()
    expect(await refusalOf(announce(world, 'a'))).toMatchObject({ code: 'limit_reached' })
    await world.remove(media.id)
    expect(await announce(world, 'a')).not.toHaveProperty('isReplay')
  })
})

describe('an import with an Idempotency-Key', () => {
  test('that comes again downloads nothing, also when the file is gone', async () => {
    await using server = await slowOrigin()
    server.answer()
    await using world = await mediaWorld()
    const first = await importFrom(world, server.url, 'a')
    expect(await importFrom(world, server.url, 'a')).toEqual({ ...first, isReplay: true })
    await world.remove(first.id)
    expect(await importFrom(world, server.url, 'a')).toEqual({ ...first, isReplay: true })
    expect(server.requests()).toBe(1)
  })

  test('409: is in progress while its file arrives, also for another process', async () => {
    await using server = await slowOrigin()
    await using world = await mediaWorld()
    const first = importFrom(world, server.url, 'a')
    await eventually(() => expect(server.requests()).toBe(1))
    const second = { ...world, handlers: mediaHandlers(world.deps) }
    expect(await refusalOf(importFrom(world, server.url, 'a'))).toMatchObject(IN_PROGRESS)
    expect(await refusalOf(importFrom(second, server.url, 'a'))).toMatchObject(IN_PROGRESS)
    server.answer()
    const media = await first
    expect(await importFrom(second, server.url, 'a')).toEqual({ ...media, isReplay: true })
    expect(server.requests()).toBe(1)
    expect(await countFiles(world)).toBe(1)
  })

  test('whose process was taken for dead keeps nothing, and answers what the other one made', async () => {
    await using slow = await slowOrigin()
    await using world = await mediaWorld()
    const first = importFrom(world, slow.url, 'a')
    await eventually(() => expect(slow.requests()).toBe(1))
    await letLeasesEnd(world)
    const second = importFrom(world, slow.url, 'a')
    await eventually(() => expect(slow.requests()).toBe(2))
    slow.answer()
    const outcomes = await Promise.allSettled([first, second])
    const made = await world.list()
    expect(made.data).toHaveLength(1)
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { id: made.data[0]?.id } })
    if (outcomes[0].status === 'fulfilled')
      expect(outcomes[0].value).toEqual({ ...made.data[0], isReplay: true })
    else expect(outcomes[0].reason).toMatchObject(IN_PROGRESS)
    await world.clean()
    expect(await world.objects()).toHaveLength(2)
    expect(await world.used()).toBe(png().length)
  })

  test('that failed is tried again', async () => {
    let answers = ['no picture', png()]
    await using server = await origin((_request, response) => void response.end(answers.shift()))
    await using world = await mediaWorld()
    expect(await refusalOf(importFrom(world, server.url, 'a'))).toMatchObject({ status: 422 })
    expect(await importFrom(world, server.url, 'a')).toMatchObject({ status: 'ready' })
    answers = []
    expect(await importFrom(world, server.url, 'a')).toMatchObject({ isReplay: true })
  })
})

describe('a completion with an Idempotency-Key', () => {
  test('that comes again is the first answer, also after the file got its description', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    await put(announced, png())
    const first = await complete(world, announced.media.id, 'a')
    await handle(
      world.deps.store,
      mediaStream,
      first.id,
      { type: 'Describe', description: 'A square' },
      { organizationId: world.own, meta: {} },
    )
    expect(await complete(world, announced.media.id, 'a')).toEqual({ ...first, isReplay: true })
    expect((await complete(world, announced.media.id, 'b')).description).toBe('A square')
  })

  test('of a file that is ready already is kept too', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    expect(await complete(world, media.id, 'a')).toEqual(media)
    expect(await complete(world, media.id, 'a')).toEqual({ ...media, isReplay: true })
  })

  test('422: is not that of another file', async () => {
    await using world = await mediaWorld()
    const [one, other] = [await uploaded(world), await uploaded(world)]
    await complete(world, one.id, 'a')
    expect(await refusalOf(complete(world, other.id, 'a'))).toMatchObject(REUSED)
    expect(await refusalOf(announce(world, 'a'))).toMatchObject(REUSED)
  })

  test('50 at once with keys of their own and in two processes come to one file and are all kept', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    await put(announced, png())
    const second = { ...world, handlers: mediaHandlers(world.deps) }
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
    const answers = await Promise.all(
      keys.map((key, index) => complete(index % 2 ? world : second, announced.media.id, key)),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const replays = await Promise.all(keys.map((key) => complete(world, announced.media.id, key)))
    for (const replay of replays) expect(replay).toEqual({ ...answers[0], isReplay: true })
    const events = await loadEvents(world.pool, announced.media.id, world.own)
    expect(events.map(({ type }) => type)).toEqual(['UploadStarted', 'UploadCompleted'])
  })

  test('409: refused because nothing was uploaded, it takes place once the bytes are there', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce()
    const refused = await refusalOf(complete(world, announced.media.id, 'a'))
    expect(refused).toMatchObject({ status: 409, code: 'conflict', details: undefined })
    await put(announced, png())
    expect(await complete(world, announced.media.id, 'a')).toMatchObject({ status: 'ready' })
  })
})

test('keys are forgotten by the sweep after 24 hours', async () => {
  await using world = await mediaWorld()
  await announce(world, 'a')
  await world.sweep()
  expect((await world.pool.query('select from idempotency_keys')).rowCount).toBe(1)
  await world.pool.query(
    `update idempotency_keys set held_until = held_until - interval '24 hours'`,
  )
  await world.sweep()
  expect((await world.pool.query('select from idempotency_keys')).rowCount).toBe(0)
})
