import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Media, MediaUpload } from '@herald/contracts/media'
import type { Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { describe, expect, test, vi } from 'vitest'
import { testWorld, type World } from './world.ts'

/** Processes take long to start on a busy machine, and a claim whose process died ends after 15 seconds. */
const PATIENTLY = { timeoutMs: 45_000, intervalMs: 250 }

vi.setConfig({ testTimeout: 120_000 })

type Sent = { key?: string; body?: unknown; headers?: Record<string, string> }

async function send(world: World, method: string, path: string, { key, body, headers }: Sent = {}) {
  const response = await fetchDocumented(world.apiUrl, `/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.apiKey}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    isReplay: response.headers.get('idempotent-replayed') === 'true',
    etag: response.headers.get('etag'),
  }
}

/** Sends a request until the process that carries it out dies of it. Its answer never comes, so nobody waits for it. */
async function sendToDoomed(doomed: ChildProcess, request: () => Promise<unknown>): Promise<void> {
  const died = once(doomed, 'exit')
  let isDead = false
  void died.then(() => (isDead = true))
  await eventually(async () => {
    if (!isDead) await Promise.race([died, request().catch(() => undefined)])
    expect(isDead).toBe(true)
  }, PATIENTLY)
  expect(doomed.signalCode).toBe('SIGKILL')
}

/** A picture of one pixel, the smallest there is. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** A server that has one picture, and counts who asks for it. */
async function pictureServer() {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.end(GIF)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.gif`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('a posts service killed at', () => {
  test('posts.appended, between the effect and the answer, answers the same request with what came of it', async () => {
    await using world = await testWorld({ processes: { posts: 0 } })
    const body = { content: 'once', channelIds: [world.mastodon.id] }
    const create = () => send(world, 'POST', '/posts', { key: 'a', body })
    await sendToDoomed(world.spawn('posts', 'posts.appended'), create)
    world.spawn('posts')
    const replay = await eventually(async () => {
      const answer = await create()
      expect(answer).toMatchObject({ status: 201, isReplay: true })
      return answer
    }, PATIENTLY)
    const post = JSON.parse(replay.text) as Post
    expect(post).toMatchObject({ status: 'scheduled', content: 'once' })
    expect((await create()).text).toBe(replay.text)
    expect(
      await send(world, 'POST', '/posts', { key: 'a', body: { ...body, content: 'b' } }),
    ).toMatchObject({ status: 422 })
    const list = JSON.parse((await send(world, 'GET', '/posts')).text) as { data: Post[] }
    expect(list.data.map(({ id }) => id)).toEqual([post.id])
    await eventually(async () => expect((await world.get(post.id)).status).toBe('published'))
    expect(await create()).toEqual(replay)
    expect(await world.sandbox.live(world.mastodon)).toHaveLength(1)
  })

  test('posts.before-append frees the key by itself, and then the same request is carried out', async () => {
    await using world = await testWorld({ processes: { posts: 0 } })
    const body = { content: 'at last', channelIds: [world.mastodon.id] }
    const create = () => send(world, 'POST', '/posts', { key: 'a', body })
    await sendToDoomed(world.spawn('posts', 'posts.before-append'), create)
    world.spawn('posts')
    await eventually(
      async () => expect(await create()).toMatchObject({ status: 201, isReplay: false }),
      PATIENTLY,
    )
    expect(await create()).toMatchObject({ status: 201, isReplay: true })
    await eventually(async () => expect(await world.sandbox.live(world.mastodon)).toHaveLength(1))
  })
})

describe('a media service killed at', () => {
  test('media.upload-created gives the same address again, and has reserved the bytes once', async () => {
    await using world = await testWorld({ processes: { media: 0 } })
    const body = { fileName: 'a.gif', mimeType: 'image/gif', fileSize: GIF.length }
    const announce = () => send(world, 'POST', '/media/uploads', { key: 'a', body })
    await sendToDoomed(world.spawn('media', 'media.upload-created'), announce)
    world.spawn('media')
    const replay = await eventually(async () => {
      const answer = await announce()
      expect(answer).toMatchObject({ status: 201, isReplay: true })
      return answer
    }, PATIENTLY)
    const { organizationId } = world
    expect((await world.media.usage({ organizationId })).bytes).toBe(GIF.length)
    const { media, upload } = JSON.parse(replay.text) as MediaUpload
    const put = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: GIF })
    expect(put.status).toBe(200)
    const complete = () => send(world, 'POST', `/media/${media.id}/complete`, { key: 'b' })
    const completed = await complete()
    expect(completed).toMatchObject({ status: 200, isReplay: false })
    expect(await complete()).toEqual({ ...completed, isReplay: true })
  })

  test('media.imported answers the same import with its file, and downloads nothing again', async () => {
    await using server = await pictureServer()
    await using world = await testWorld({ processes: { media: 0 } })
    const importFile = () =>
      send(world, 'POST', '/media/import', { key: 'a', body: { url: server.url } })
    await sendToDoomed(world.spawn('media', 'media.imported'), importFile)
    expect(server.requests()).toBe(1)
    world.spawn('media')
    const replay = await eventually(async () => {
      const answer = await importFile()
      expect(answer).toMatchObject({ status: 201, isReplay: true })
      return answer
    }, PATIENTLY)
    expect(server.requests()).toBe(1)
    const list = JSON.parse((await send(world, 'GET', '/media')).text) as { data: Media[] }
    expect(list.data).toHaveLength(1)
    expect(JSON.parse(replay.text)).toMatchObject({ id: list.data[0]?.id, status: 'ready' })
  })

  test('media.import-inspected leaves no file, and the same import is carried out when its claim has ended', async () => {
    await using server = await pictureServer()
    await using world = await testWorld({ processes: { media: 0 } })
    const importFile = () =>
      send(world, 'POST', '/media/import', { key: 'a', body: { url: server.url } })
    await sendToDoomed(world.spawn('media', 'media.import-inspected'), importFile)
    world.spawn('media')
    await eventually(
      async () => expect(await importFile()).toMatchObject({ status: 201, isReplay: false }),
      PATIENTLY,
    )
    expect(server.requests()).toBe(2)
    const list = JSON.parse((await send(world, 'GET', '/media')).text) as { data: Media[] }
    expect(list.data).toHaveLength(1)
  })
})

test('50 requests at once with one key are one post, live once, over two posts services', async () => {
  await using world = await testWorld({ processes: { posts: 2 } })
  const body = { content: 'many', channelIds: [world.mastodon.id, world.bluesky.id] }
  const create = () => send(world, 'POST', '/posts', { key: 'a', body })
  await eventually(
    async () => expect((await send(world, 'GET', '/posts')).status).toBe(200),
    PATIENTLY,
  )
  const answers = await Promise.all(Array.from({ length: 50 }, create))
  const answered = answers.filter(({ status }) => status === 201)
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1)
  for (const { status, text } of answers)
    if (status !== 201) {
      expect(status).toBe(409)
      expect(JSON.parse(text)).toMatchObject({
        error: { code: 'conflict', details: { reason: 'idempotency_in_progress' } },
      })
    }
  const { id } = JSON.parse(answered[0]!.text) as Post
  await eventually(async () => expect((await world.get(id)).status).toBe('published'))
  expect(await world.sandbox.live(world.mastodon)).toHaveLength(1)
  expect(await world.sandbox.live(world.bluesky)).toHaveLength(1)
})

test('a tag is the same from every endpoint, tells of a change, and guards one', async () => {
  await using world = await testWorld()
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const body = { content: 'first', channelIds: [world.mastodon.id, world.bluesky.id], publishAt }
  const created = await send(world, 'POST', '/posts', { body })
  const { id } = JSON.parse(created.text) as Post
  const get = (tag?: string | null) =>
    send(world, 'GET', `/posts/${id}`, { ...(tag && { headers: { 'if-none-match': tag } }) })
  expect((await get()).etag).toBe(created.etag)
  expect(await get(created.etag)).toMatchObject({ status: 304, text: '', etag: created.etag })
  const change = (content: string, tag: string | null) =>
    send(world, 'PATCH', `/posts/${id}`, { body: { content }, headers: { 'if-match': tag ?? '' } })
  const changed = await change('second', created.etag)
  expect(changed.status).toBe(200)
  expect(await get(created.etag)).toMatchObject({ status: 200, etag: changed.etag })
  expect((await change('third', created.etag)).status).toBe(412)
  expect((await world.get(id)).content).toBe('second')
  const remove = (tag: string | null) =>
    send(world, 'DELETE', `/posts/${id}`, { headers: { 'if-match': tag ?? '' } })
  expect((await remove(created.etag)).status).toBe(412)
  expect((await remove(changed.etag)).status).toBe(200)
})
