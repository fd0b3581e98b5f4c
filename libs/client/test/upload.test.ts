import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { clientOf } from './client.ts'
import { type Answer, cut, endBy, inTurn, refusal, type Script } from './scripted-server.ts'

const BYTES = Buffer.from('not really a picture')
const FILE = { data: new Uint8Array(BYTES), fileName: 'cat.png', mimeType: 'image/png' } as const
const MEDIA = { id: 'med_1', status: 'pending', fileName: 'cat.png' }
const READY: Answer = { body: { ...MEDIA, status: 'ready' } }

test('a file of this machine is created, sent with exactly the given headers, and completed', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'cat.PNG')
  await writeFile(path, BYTES)
  await using world = await uploading()
  const media = await world.herald.media.uploadFile(path, { altText: 'A cat' })
  expect(media).toMatchObject({ id: 'med_1', status: 'ready' })
  expect(world.steps()).toEqual([
    'POST /v1/media/uploads',
    'PUT /bucket/key',
    'POST /v1/media/med_1/complete',
  ])
  const [create, put] = world.received
  expect(create?.json).toEqual({
    fileName: 'cat.PNG',
    mimeType: 'image/png',
    fileSize: BYTES.length,
    altText: 'A cat',
  })
  expect(put?.text).toBe(BYTES.toString())
  expect(put?.query).toEqual({ signature: 's' })
  expect(put?.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(BYTES.length),
    'if-none-match': '*',
    'x-amz-meta-a': 'b c',
  })
  expect(put?.headers['transfer-encoding']).toBeUndefined()
  expect(put?.headers.authorization).toBeUndefined()
})

test.each([
  ['bytes', new Uint8Array(BYTES)],
  ['a blob', new Blob([BYTES])],
  ['a buffer', new Uint8Array(BYTES).buffer],
])('a file in memory can be given as %s', async (_, data) => {
  await using world = await uploading()
  await world.herald.media.uploadFile({ ...FILE, data })
  expect(world.received[0]?.json).toEqual({
    fileName: 'cat.png',
    mimeType: 'image/png',
    fileSize: BYTES.length,
  })
  expect(world.received[1]?.text).toBe(BYTES.toString())
  expect(world.received[1]?.headers['content-type']).toBe('image/png')
})

test('a file is not kept in memory while it is sent', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'film.mp4')
  const size = 64 * 1024 * 1024
  await writeFile(path, Buffer.alloc(size))
  const collectGarbage = garbageCollector()
  let received = 0
  let kept = 0
  const storage = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.length))
    request.on('end', () => {
      collectGarbage()
      kept = process.memoryUsage().arrayBuffers
      response.end()
    })
  })
  storage.listen(0, '127.0.0.1')
  await once(storage, 'listening')
  const { port } = storage.address() as AddressInfo
  await using world = await uploading({ storageUrl: `http://127.0.0.1:${port}/key` })
  await world.herald.media.uploadFile(path)
  storage.closeAllConnections()
  storage.close()
  expect(received).toBe(size)
  expect(kept).toBeLessThan(size / 2)
})

describe('every step is made again where it helps', () => {
  test('creating, with the same Idempotency-Key', async () => {
    await using world = await uploading({ create: cut })
    await world.herald.media.uploadFile(FILE)
    expect(world.steps().slice(0, 2)).toEqual(Array(2).fill('POST /v1/media/uploads'))
    const [one, two] = world.received.map(({ headers }) => headers['idempotency-key'])
    expect(one).toBe(two)
  })

  test.each<[string, Answer | Script]>([
    ['the connection is cut', cut],
    ['the storage is busy', { status: 503, body: '<Error>SlowDown</Error>' }],
    ['the storage fails', { status: 500, body: '' }],
  ])('sending, when %s', async (_, put) => {
    await using world = await uploading({ put })
    expect(await world.herald.media.uploadFile(FILE)).toMatchObject({ status: 'ready' })
    const sent = world.received.filter(({ method }) => method === 'PUT')
    expect(sent.map(({ text }) => text)).toEqual([BYTES.toString(), BYTES.toString()])
  })

  test('sending, when the bytes turn out to be there already', async () => {
    await using world = await uploading({ put: { status: 412, body: '' } })
    expect(await world.herald.media.uploadFile(FILE)).toMatchObject({ status: 'ready' })
    expect(world.received.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  test('completing', async () => {
    await using world = await uploading({ complete: refusal(503, 'internal_error') })
    expect(await world.herald.media.uploadFile(FILE)).toMatchObject({ status: 'ready' })
    expect(world.steps().slice(2)).toEqual(Array(2).fill('POST /v1/media/med_1/complete'))
  })
})

test('an upload that is called again with its Idempotency-Key goes on with the same file', async () => {
  await using world = await uploading()
  const again = { idempotencyKey: 'upload-1' }
  await world.herald.media.uploadFile(FILE, again)
  await world.herald.media.uploadFile(FILE, again)
  const created = world.received.filter(({ path }) => path === '/v1/media/uploads')
  expect(created.map(({ headers }) => headers['idempotency-key'])).toEqual(['upload-1', 'upload-1'])
})

test.each([400, 403, 404])(
  'a storage that answers with status %i is UploadFailed at once',
  async (status) => {
    await using world = await uploading({ put: { status, body: 'signature s' } })
    await expect(world.herald.media.uploadFile(FILE)).rejects.toMatchObject({
      name: 'UploadFailed',
      status,
      mediaId: 'med_1',
      message: `The storage answered with status ${status}.`,
    })
    expect(world.steps()).toHaveLength(2)
  },
)

test('a storage that is not there is UploadFailed in the end', async () => {
  await using world = await uploading({ storageUrl: 'http://127.0.0.1:1/key' })
  await expect(world.herald.media.uploadFile(FILE)).rejects.toMatchObject({
    name: 'UploadFailed',
    status: null,
  })
  expect(world.waits).toHaveLength(4)
})

test('a refusal of Herald ends an upload', async () => {
  await using world = await uploading({ create: refusal(409, 'limit_reached') })
  await expect(world.herald.media.uploadFile(FILE)).rejects.toMatchObject({ code: 'limit_reached' })
  await using unreadable = await uploading({ complete: refusal(422, 'validation_failed') })
  await expect(unreadable.herald.media.uploadFile(FILE)).rejects.toMatchObject({ status: 422 })
})

test('a caller can end an upload while it is sent', async () => {
  const ending = new AbortController()
  await using world = await uploading({ put: endBy(ending) })
  const sending = world.herald.media.uploadFile(FILE, { signal: ending.signal })
  await expect(sending).rejects.toThrow('Enough.')
  expect(world.steps()).toHaveLength(2)
})

test.each([
  ['is not there', '/nowhere/cat.png', /ENOENT/],
  ['is a folder', import.meta.dirname, /type/],
  ['is of a type that Herald does not take', import.meta.filename, /type of upload\.test\.ts/],
])('a path that %s is an error before anything is asked', async (_, path, message) => {
  await using world = await uploading()
  await expect(world.herald.media.uploadFile(path)).rejects.toThrow(message)
  expect(world.received).toEqual([])
})

/** Node's own, which is hidden unless it is asked for. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

/** Herald and the storage in one server. Each step goes well, after a first answer that a test gives it. */
async function uploading(
  first: {
    create?: Answer | Script
    put?: Answer | Script
    complete?: Answer | Script
    storageUrl?: string
  } = {},
) {
  const created: Script = ({ headers }) => ({
    status: 201,
    body: {
      media: MEDIA,
      upload: {
        method: 'PUT',
        url: first.storageUrl ?? `http://${headers.host}/bucket/key?signature=s`,
        headers: {
          'Content-Type': 'image/png',
          'Content-Length': String(BYTES.length),
          'If-None-Match': '*',
          'x-amz-meta-a': 'b c',
        },
        expiresAt: '2026-11-21T09:45:00.000Z',
      },
      next: 'PUT the bytes.',
    },
  })
  const turn = (one: Answer | Script | undefined, then: Answer | Script) =>
    one === undefined ? inTurn(then) : inTurn(one, then)
  const steps: Record<string, Script> = {
    '/v1/media/uploads': turn(first.create, created),
    '/bucket/key': turn(first.put, { body: '' }),
    '/v1/media/med_1/complete': turn(first.complete, READY),
  }
  const client = await clientOf(
    (request, response) => steps[request.path]?.(request, response) ?? undefined,
  )
  return {
    ...client,
    steps: () => client.received.map(({ method, path }) => `${method} ${path}`),
  }
}
