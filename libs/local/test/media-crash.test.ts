import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Media, MediaUpload } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ownerUrl } from './owner-url.ts'
import { killChild, testWorld, type World } from './world.ts'

/** A GIF of one black pixel. */
const GIF = Buffer.from('R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')
const UPLOAD = { fileName: 'pixel.gif', mimeType: 'image/gif', fileSize: GIF.length } as const
const NO_PICTURE = Buffer.alloc(GIF.length, 'a')

type Answer<T = never> = { status: number; body: T }

/** The whole of Herald with a media service in a process of its own, started so that it dies at a point, or not. */
async function crashWorld() {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder())
  const storage = join(folder.path, 'storage')
  const world = stack.use(
    await testWorld({
      processes: { media: 0 },
      env: { STORAGE_DIR: storage, WORK_DIR: folder.path, DESCRIBER: 'off' },
    }),
  )
  const origin = createServer((_request, response) => void response.end(GIF)).listen(0, '127.0.0.1')
  stack.defer(() => void origin.close())
  await once(origin, 'listening')
  const { port } = origin.address() as AddressInfo
  const database = new pg.Client({ connectionString: ownerUrl(world.databaseUrls.media) })
  await database.connect()
  stack.defer(() => database.end())
  let child: ChildProcess | undefined
  const start = async (point = '') => {
    if (child) await killChild(child)
    child = world.spawn('media', point)
    await eventually(() => world.media.usage({ organizationId: world.organizationId }), {
      timeoutMs: 60_000,
    })
  }
  const moved = stack.move()
  return {
    ...world,
    database,
    workFolder: folder.path,
    objects: join(storage, 'objects'),
    originUrl: `http://127.0.0.1:${port}/pixel.gif`,
    start,
    /** Waits until the process has killed itself, which ends the call it was at. */
    async died(): Promise<void> {
      if (child?.signalCode === null) await once(child, 'exit')
      expect(child?.signalCode).toBe('SIGKILL')
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
type CrashWorld = Awaited<ReturnType<typeof crashWorld>>

const announce = (world: World): Promise<Answer<MediaUpload>> =>
  world.call('POST', '/media/uploads', UPLOAD)
const complete = (world: World, id: string): Promise<Answer<Media>> =>
  world.call('POST', `/media/${id}/complete`)
const importIt = (world: CrashWorld): Promise<Answer<Media>> =>
  world.call('POST', '/media/import', { url: world.originUrl })
const remove = (world: World, id: string): Promise<Answer> => world.call('DELETE', `/media/${id}`)

/** Announces an upload and sends these bytes. Answers its id. */
async function put(world: World, bytes = GIF): Promise<string> {
  const { status, body } = await announce(world)
  expect(status).toBe(201)
  const { url, method, headers } = body.upload
  const sent = await fetch(url, { method, headers, body: new Uint8Array(bytes) })
  expect(sent.status).toBe(200)
  return body.media.id
}

/** Makes a call at which the process dies. Nobody waits for its answer: there is none. */
async function dyingAt(
  world: CrashWorld,
  call: (media: World['media'], caller: Caller) => Promise<unknown>,
): Promise<void> {
  const { organizationId } = world
  const lost = call(world.media, { organizationId, channels: 'all', actor: 'key:test' })
  lost.catch(() => undefined)
  await world.died()
  await world.start()
}

/** As if an hour had passed: every window is over, and everything that waits for its time is due. */
async function letAnHourPass({ database }: CrashWorld): Promise<void> {
  // Events are final, except for a test that moves all of time.
  await database.query('begin')
  await database.query("set local session_replication_role = 'replica'")
  await database.query(
    `update events set data = jsonb_set(data::jsonb, '{expiresAt}',
       to_jsonb(to_char((data->>'expiresAt')::timestamptz at time zone 'UTC' - interval '1 hour',
         'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     where type = 'UploadStarted'`,
  )
  for (const change of [
    `media set expires_at = expires_at - interval '1 hour'`,
    `doomed_objects set not_before = not_before - interval '1 hour'`,
    `import_holds set expires_at = expires_at - interval '1 hour'`,
    `attachments set attached_at = attached_at - interval '1 hour'`,
  ])
    await database.query(`update ${change}`)
  await database.query('commit')
}

function keysIn(objects: string): string[] {
  return readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(objects.length + 1))
    .toSorted()
}

/** I18, I17, I15: after the sweep objects and files are 1:1, hashes fit, and every byte is counted once. */
async function expectNothingLeftOver(world: CrashWorld): Promise<void> {
  await letAnHourPass(world)
  // The sweep and the cleaner run when the service starts.
  await world.start()
  await eventually(
    async () => {
      const { rows } = await world.database.query(
        `select (select count(*)::int from doomed_objects) as doomed,
         (select count(*)::int from import_holds) as holds,
         (select count(*)::int from media where status = 'pending') as pending`,
      )
      expect(rows).toEqual([{ doomed: 0, holds: 0, pending: 0 }])
    },
    { timeoutMs: 60_000 },
  )
  const { rows } = await world.database.query<{
    object_key: string
    thumbnail_key: string
    sha256: string
  }>(`select object_key, thumbnail_key, sha256 from media where status = 'ready'`)
  const renditions = await world.database.query<{ object_key: string }>(
    'select object_key from renditions',
  )
  const owned = [
    ...rows.flatMap((row) => [row.object_key, row.thumbnail_key]),
    ...renditions.rows.map(({ object_key }) => object_key),
  ]
  expect(keysIn(world.objects)).toEqual(owned.toSorted())
  for (const { object_key, sha256 } of rows) {
    const bytes = readFileSync(join(world.objects, object_key))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  }
  const { bytes } = await world.media.usage({ organizationId: world.organizationId })
  expect(bytes).toBe(rows.length * GIF.length)
  expect((await world.media.checkProjections({})).mismatches).toEqual([])
  expect(readdirSync(world.workFolder)).toEqual(['storage'])
}

async function expectServed({ url }: Media): Promise<void> {
  const answer = await fetch(url!)
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(GIF)
}

// Starting a process takes seconds on a busy machine, so points of one operation share a world.
describe('a media service that is killed', { timeout: 240_000 }, () => {
  test('while an upload is announced: it can be announced again, and the forgotten one ends', async () => {
    await using world = await crashWorld()
    await world.start('media.upload-created')
    await dyingAt(world, (media, caller) => media.createUpload({ caller, body: UPLOAD }))
    const { body: media } = await complete(world, await put(world))
    await expectServed(media)
    await expectNothingLeftOver(world)
    const { rows } = await world.database.query('select status from media order by status')
    expect(rows).toEqual([{ status: 'failed' }, { status: 'ready' }])
    await expectServed(media)
  })

  test('while an upload is completed: the same complete again gives the file, once', async () => {
    await using world = await crashWorld()
    const files: Media[] = []
    for (const point of ['media.doomed', 'media.kept', 'media.completed']) {
      await world.start(point)
      const mediaId = await put(world)
      await dyingAt(world, (media, caller) => media.complete({ caller, mediaId }))
      const again = await complete(world, mediaId)
      expect(again).toMatchObject({ status: 200, body: { id: mediaId, status: 'ready' } })
      files.push(again.body)
    }
    await expectNothingLeftOver(world)
    for (const media of files) await expectServed(media)
  })

  test('while it refuses bytes that are no picture: they are gone, and others can be sent', async () => {
    await using world = await crashWorld()
    await world.start('media.refused')
    const { body } = await announce(world)
    const { url, method, headers } = body.upload
    const send = (bytes: Buffer) =>
      fetch(url, { method, headers, body: new Uint8Array(bytes) }).then(({ status }) => status)
    expect(await send(NO_PICTURE)).toBe(200)
    const mediaId = body.media.id
    await dyingAt(world, (media, caller) => media.complete({ caller, mediaId }))
    expect(await complete(world, mediaId)).toMatchObject({ status: 409 })
    expect(await send(GIF)).toBe(200)
    expect(await complete(world, mediaId)).toMatchObject({ status: 200 })
    await expectNothingLeftOver(world)
  })

  test('while it imports: the file is there wholly or not at all, and the import works again', async () => {
    await using world = await crashWorld()
    const list = async () => {
      const { body } = (await world.call('GET', '/media')) as Answer<{ data: Media[] }>
      return body.data
    }
    for (const [point, files] of [
      ['media.import-inspected', 1],
      ['media.doomed', 2],
      ['media.kept', 3],
      // This one was there before anybody was told.
      ['media.imported', 5],
    ] as const) {
      await world.start(point)
      await dyingAt(world, (media, caller) =>
        media.import({ caller, body: { url: world.originUrl } }),
      )
      const again = await importIt(world)
      expect(again).toMatchObject({ status: 201, body: { status: 'ready', fileName: 'pixel.gif' } })
      expect(await list()).toHaveLength(files)
    }
    await expectNothingLeftOver(world)
    for (const media of await list()) await expectServed(media)
  })

  test('while it makes a picture for a platform: asked again it makes one, or has it', async () => {
    await using world = await crashWorld()
    const { organizationId } = world
    await world.start('media.doomed#2')
    const { body: file } = await importIt(world)
    const limits = { mimeTypes: ['image/jpeg'], maxBytes: 8_000_000 }
    const wanted = { organizationId, mediaId: file.id, limits }
    const addresses = new Set<string>()
    for (const point of ['media.doomed#2', 'media.kept', 'media.rendition-made']) {
      if (point !== 'media.doomed#2') await world.start(point)
      // Others than before, so that each is made.
      wanted.limits = { ...limits, maxBytes: limits.maxBytes + addresses.size }
      await dyingAt(world, (media) => media.rendition(wanted))
      const { url } = await world.media.rendition(wanted)
      expect((await fetch(url)).headers.get('content-type')).toBe('image/jpeg')
      expect(await world.media.rendition(wanted)).toMatchObject({ url })
      addresses.add(url)
    }
    expect(addresses.size).toBe(3)
    await expectNothingLeftOver(world)
    for (const url of addresses) expect((await fetch(url)).status).toBe(200)
    expect(await remove(world, file.id)).toMatchObject({ status: 200 })
    await expectNothingLeftOver(world)
  })

  test('while it deletes: the file is gone with its bytes, and a file that a post holds stays', async () => {
    await using world = await crashWorld()
    await world.start('media.deleted')
    const { body: held } = await importIt(world)
    const post = await world.create({
      content: 'With a file',
      channelIds: [world.mastodon.id],
      mediaIds: [held.id],
      publishAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const { body: first } = await importIt(world)
    await dyingAt(world, (media, caller) => media.remove({ caller, mediaId: first.id }))
    expect(await remove(world, first.id)).toMatchObject({ status: 404 })
    expect((await fetch(first.url!)).status).toBe(404)

    await world.start('media.cleaned')
    const { body: second } = await importIt(world)
    expect(await remove(world, second.id)).toMatchObject({ status: 200 })
    await world.died()
    await world.start()
    await expectNothingLeftOver(world)
    expect(await remove(world, held.id)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { postId: post.id } } },
    })
    await expectServed(held)
  })
})
