import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Media, MediaUpload } from '@herald/contracts/media'
import { eventually } from '@herald/testing/eventually'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { killChild, testWorld, type World } from './world.ts'

/** A GIF of one black pixel. */
const GIF = Buffer.from('R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')
const NO_PICTURE = Buffer.alloc(GIF.length, 'a')

type Answer<T = never> = { status: number; body: T }

/** The whole of Herald with a media service in a process of its own, which dies at a point and is started again. */
async function crashWorld(crashAt: string) {
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
  const database = new pg.Client({ connectionString: world.databaseUrls.media })
  await database.connect()
  stack.defer(() => database.end())
  let child: ChildProcess | undefined
  const start = async (point = '') => {
    if (child) await killChild(child)
    child = world.spawn('media', point)
    await eventually(() => world.media.usage({ organizationId: world.organizationId }))
  }
  await start(crashAt)
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
  world.call('POST', '/media/uploads', {
    fileName: 'pixel.gif',
    mimeType: 'image/gif',
    fileSize: GIF.length,
  })
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

/** Makes a call at which the process dies. What the caller is told then is that nobody knows. */
async function dyingAt(world: CrashWorld, call: Promise<Answer<unknown>>): Promise<void> {
  const answered = call.then(
    ({ status }) => expect(status).toBeGreaterThanOrEqual(500),
    () => undefined,
  )
  await world.died()
  await world.start()
  void answered.catch(() => undefined)
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
  await eventually(async () => {
    const { rows } = await world.database.query(
      `select (select count(*)::int from doomed_objects) as doomed,
         (select count(*)::int from import_holds) as holds,
         (select count(*)::int from media where status = 'pending') as pending`,
    )
    expect(rows).toEqual([{ doomed: 0, holds: 0, pending: 0 }])
  })
  const { rows } = await world.database.query<{
    object_key: string
    thumbnail_key: string
    sha256: string
  }>(`select object_key, thumbnail_key, sha256 from media where status = 'ready'`)
  const owned = rows.flatMap((row) => [row.object_key, row.thumbnail_key])
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

describe('a media service killed at', () => {
  test('media.upload-created: the upload can be announced again, and the forgotten one ends', async () => {
    await using world = await crashWorld('media.upload-created')
    await dyingAt(world, announce(world))
    const { body: media } = await complete(world, await put(world))
    await expectServed(media)
    await expectNothingLeftOver(world)
    const { rows } = await world.database.query('select status from media order by status')
    expect(rows).toEqual([{ status: 'failed' }, { status: 'ready' }])
    await expectServed(media)
  })

  test.each(['media.doomed', 'media.kept', 'media.completed'])(
    '%s in a complete: the same complete again gives the file, once',
    async (point) => {
      await using world = await crashWorld(point)
      const id = await put(world)
      await dyingAt(world, complete(world, id))
      const again = await complete(world, id)
      expect(again).toMatchObject({ status: 200, body: { id, status: 'ready' } })
      await expectServed(again.body)
      await expectNothingLeftOver(world)
      await expectServed(again.body)
    },
  )

  test('media.refused: bytes that are no picture are gone, and others can be sent', async () => {
    await using world = await crashWorld('media.refused')
    const { body } = await announce(world)
    const { url, method, headers } = body.upload
    const send = (bytes: Buffer) =>
      fetch(url, { method, headers, body: new Uint8Array(bytes) }).then(({ status }) => status)
    expect(await send(NO_PICTURE)).toBe(200)
    await dyingAt(world, complete(world, body.media.id))
    expect(await complete(world, body.media.id)).toMatchObject({ status: 409 })
    expect(await send(GIF)).toBe(200)
    expect(await complete(world, body.media.id)).toMatchObject({ status: 200 })
    await expectNothingLeftOver(world)
  })

  test.each([
    ['media.import-inspected', 1],
    ['media.doomed', 1],
    ['media.kept', 1],
    ['media.imported', 2],
  ])('%s: an import is there wholly or not at all, and works again', async (point, files) => {
    await using world = await crashWorld(point)
    await dyingAt(world, importIt(world))
    const again = await importIt(world)
    expect(again).toMatchObject({ status: 201, body: { status: 'ready', fileName: 'pixel.gif' } })
    const { body } = (await world.call('GET', '/media')) as Answer<{ data: Media[] }>
    expect(body.data).toHaveLength(files)
    await expectNothingLeftOver(world)
    for (const media of body.data) await expectServed(media)
  })

  test('media.deleted: the file is gone, and its bytes come back', async () => {
    await using world = await crashWorld('media.deleted')
    const { body: media } = await importIt(world)
    await dyingAt(world, remove(world, media.id))
    expect(await remove(world, media.id)).toMatchObject({ status: 404 })
    expect((await fetch(media.url!)).status).toBe(404)
    await expectNothingLeftOver(world)
  })

  test('media.cleaned: what was removed from storage is not looked for for ever', async () => {
    await using world = await crashWorld('media.cleaned')
    const { body: media } = await importIt(world)
    expect(await remove(world, media.id)).toMatchObject({ status: 200 })
    await world.died()
    expect(keysIn(world.objects)).toEqual([])
    await world.start()
    await expectNothingLeftOver(world)
  })

  test('media.doomed, while a post holds another file: that file stays, and its bytes with it', async () => {
    await using world = await crashWorld('media.doomed#2')
    const { body: media } = await importIt(world)
    const publishAt = new Date(Date.now() + 86_400_000).toISOString()
    const post = await world.create({
      content: 'With a file',
      channelIds: [world.mastodon.id],
      mediaIds: [media.id],
      publishAt,
    })
    await dyingAt(world, importIt(world))
    await expectNothingLeftOver(world)
    expect(await remove(world, media.id)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { postId: post.id } } },
    })
    await expectServed(media)
  })
})
