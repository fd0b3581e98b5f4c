import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { AppError, unavailable } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { StoredMedia } from '@herald/contracts/media'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { FileUnavailable, FileUnfit } from '@herald/platforms/platform'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { type FilesDeps, openFiles } from '../src/files.ts'
import { publish } from '../src/publish.ts'
import { publishingWorld } from './publishing-world.ts'
import { comeDue, held, LIVE, rowOf, take } from './world.ts'

const BYTES = Buffer.from('the bytes of a picture')

function stored(change: Partial<StoredMedia> = {}): StoredMedia {
  return {
    id: newId('media'),
    type: 'image',
    mimeType: 'image/png',
    sizeBytes: BYTES.length,
    width: 4,
    height: 3,
    durationSeconds: null,
    altText: 'A picture',
    url: 'https://files.example/files/1.png',
    path: '/files/1.png',
    fileName: 'boat.png',
    sha256: createHash('sha256').update(BYTES).digest('hex'),
    ...change,
  }
}

/** A file server that does what a test says, and the files of an attempt on it. */
async function filesWorld(listener: RequestListener, file: StoredMedia = stored()) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = temporaryFolder()
  const deps: FilesDeps = {
    media: {
      getForPublishing: async () => ({ data: [file] }),
      rendition: async () => Promise.reject(new Error('Nobody has asked for one.')),
    },
    filesUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    convertImage: async (path, { outputFolder }) => {
      expect(await readdir(outputFolder)).toHaveLength(1)
      const made = join(outputFolder, 'made')
      await writeFile(made, 'smaller')
      expect(path).toContain(outputFolder)
      return { path: made, mimeType: 'image/jpeg', width: 2, height: 1, sizeBytes: 7 }
    },
    workFolders: { parent: folder.path, service: 'publisher' },
  }
  return {
    deps,
    folder: folder.path,
    open: () => openFiles(deps, { organizationId: newId('organization'), mediaIds: [file.id] }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      folder[Symbol.dispose]()
    },
  }
}

const serve: RequestListener = (_request, response) => void response.end(BYTES)

describe('the bytes of a file', () => {
  test('are those that were verified', async () => {
    await using world = await filesWorld(serve)
    await using opened = await world.open()
    const [file] = opened.files
    expect(file).toMatchObject({ altText: 'A picture', url: 'https://files.example/files/1.png' })
    expect(file).not.toHaveProperty('sha256')
    expect(await buffer(await file!.open())).toEqual(BYTES)
    expect(await buffer(await file!.open())).toEqual(BYTES)
  })

  test.each<[string, boolean, RequestListener]>([
    ['are gone', false, (_request, response) => void response.writeHead(404).end()],
    ['cannot be had', true, (_request, response) => void response.writeHead(503).end()],
    [
      'are somewhere else',
      true,
      (_request, response) => void response.writeHead(302, { location: '/' }).end(),
    ],
    ['never begin', true, (request) => void request.socket.destroy()],
    [
      'break off',
      true,
      (_request, response) => {
        response.writeHead(200, { 'content-length': BYTES.length })
        response.write(BYTES.subarray(0, 5), () => response.destroy())
      },
    ],
    ['are too few', true, (_request, response) => void response.end(BYTES.subarray(1))],
    [
      'are too many',
      true,
      (_request, response) => void response.end(Buffer.concat([BYTES, BYTES])),
    ],
    ['are others', true, (_request, response) => void response.end(Buffer.alloc(BYTES.length))],
  ])(
    'that %s are FileUnavailable; trying again could help: %s',
    async (_name, retryable, listener) => {
      await using world = await filesWorld(listener)
      await using opened = await world.open()
      const reading = async () => buffer(await opened.files[0]!.open())
      const error: unknown = await reading().catch((failure: unknown) => failure)
      expect(error).toBeInstanceOf(FileUnavailable)
      expect(error).toMatchObject({ retryable })
    },
  )
})

test('bytes that are others than those that were checked are never given to their end', async () => {
  await using world = await filesWorld(
    (_, response) => void response.end(Buffer.alloc(BYTES.length)),
  )
  await using opened = await world.open()
  let given = 0
  const reading = async () => {
    for await (const chunk of await opened.files[0]!.open()) given += (chunk as Buffer).length
  }
  await expect(reading()).rejects.toThrow(FileUnavailable)
  expect(given).toBeLessThan(BYTES.length)
})

describe('a picture for a platform', () => {
  const limits = { mimeTypes: ['image/jpeg'], maxBytes: 10 }

  test('is converted from one download, and nothing of it stays on disk', async () => {
    let downloads = 0
    await using world = await filesWorld((request, response) => {
      downloads++
      serve(request, response)
    })
    await using opened = await world.open()
    const first = await opened.files[0]!.image(limits)
    expect(first).toEqual({
      bytes: Buffer.from('smaller'),
      mimeType: 'image/jpeg',
      width: 2,
      height: 1,
    })
    expect(downloads).toBe(1)
    await opened[Symbol.asyncDispose]()
    expect(await readdir(world.folder)).toEqual([])
  })

  test('is FileUnfit when it cannot be made to fit, FileUnavailable when nobody can convert now', async () => {
    await using world = await filesWorld(serve)
    world.deps.convertImage = async () => Promise.reject(new UnreadableFile('Too large.'))
    await using opened = await world.open()
    await expect(opened.files[0]!.image(limits)).rejects.toBeInstanceOf(FileUnfit)
    world.deps.convertImage = async () => Promise.reject(new Error('No worker.'))
    await using again = await world.open()
    await expect(again.files[0]!.image(limits)).rejects.toBeInstanceOf(FileUnavailable)
  })
})

describe('a part of a file', () => {
  test.each([
    [0, 4],
    [4, 10],
    [10, BYTES.length],
    [0, BYTES.length],
    [5, 5],
    [BYTES.length, BYTES.length],
  ])('from %i to before %i is these bytes, of one download', async (start, end) => {
    let downloads = 0
    await using world = await filesWorld((request, response) => {
      downloads++
      serve(request, response)
    })
    await using opened = await world.open()
    const [file] = opened.files
    for (let times = 0; times < 2; times++)
      expect(Buffer.from(await file!.slice(start, end))).toEqual(BYTES.subarray(start, end))
    expect(downloads).toBe(1)
  })

  test.each([
    [-1, 4],
    [4, 3],
    [0, BYTES.length + 1],
    [0.5, 4],
    [0, Number.NaN],
  ])('from %d to before %d is refused: the file has no such part', async (start, end) => {
    await using world = await filesWorld(serve)
    await using opened = await world.open()
    await expect(opened.files[0]!.slice(start, end)).rejects.toBeInstanceOf(RangeError)
  })

  test('is never given before all bytes are known to be those that were verified', async () => {
    let bytes = Buffer.alloc(BYTES.length)
    await using world = await filesWorld((_request, response) => void response.end(bytes))
    await using opened = await world.open()
    const [file] = opened.files
    await expect(file!.slice(0, 4)).rejects.toMatchObject({
      name: 'FileUnavailable',
      retryable: true,
    })
    bytes = BYTES
    expect(Buffer.from(await file!.slice(0, 4))).toEqual(BYTES.subarray(0, 4))
  })

  test('and a picture are FileUnavailable when this machine cannot keep the file', async () => {
    await using world = await filesWorld(serve)
    world.deps.workFolders.parent = '/dev/null/nowhere'
    await using opened = await world.open()
    const [file] = opened.files
    for (const reading of [
      file!.slice(0, 4),
      file!.image({ mimeTypes: ['image/png'], maxBytes: 10 }),
    ])
      await expect(reading).rejects.toMatchObject({ name: 'FileUnavailable', retryable: true })
  })
})

describe('a picture that a platform fetches', () => {
  const limits = { mimeTypes: ['image/jpeg'], maxBytes: 10, maxWidth: 5 }

  test('is asked of the media service, and no byte of it passes here', async () => {
    await using world = await filesWorld((_request, response) => void response.destroy())
    const hosted = {
      url: 'https://files.example/renditions/1.jpg',
      mimeType: 'image/jpeg',
      width: 2,
      height: 1,
    }
    const asked: unknown[] = []
    world.deps.media = {
      ...world.deps.media,
      rendition: async (input) => {
        asked.push(input)
        return hosted
      },
    }
    await using opened = await world.open()
    const [file] = opened.files
    expect(await file!.imageUrl(limits)).toEqual(hosted)
    expect(asked).toEqual([{ organizationId: expect.any(String), mediaId: file!.id, limits }])
  })

  test.each([
    ['cannot be made to fit', new AppError('validation_failed', 'Too large.'), FileUnfit, {}],
    ['is gone', new AppError('not_found', 'Gone.'), FileUnavailable, { retryable: false }],
    ['cannot be made right now', unavailable(), FileUnavailable, { retryable: true }],
    ['is lost on the way', new Error('a bug'), FileUnavailable, { retryable: true }],
  ])('that %s is told as such', async (_name, failure, type, facts) => {
    await using world = await filesWorld(serve)
    world.deps.media = { ...world.deps.media, rendition: async () => Promise.reject(failure) }
    await using opened = await world.open()
    const error: unknown = await opened.files[0]!.imageUrl(limits).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject(facts)
  })
})

describe('an attempt with files', () => {
  test('gives them to every call, and makes none when one is gone', async () => {
    await using world = await publishingWorld()
    const file = stored()
    world.script.getForPublishing = async () => ({ data: [file] })
    world.script.commit = () => ({ outcome: 'published', ...LIVE })
    await publish(world.deps, await held(world, { media_ids: [file.id] }))
    for (const [input] of [world.calls.prepare, world.calls.commit])
      expect(input?.media).toMatchObject([{ id: file.id, altText: 'A picture' }])
    world.script.getForPublishing = async () => Promise.reject(new AppError('not_found', 'Gone.'))
    const attempt = await held(world, { media_ids: [file.id] })
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'media_missing', retryable: false },
    })
    expect(world.calls.commit).toHaveLength(1)
  })

  test('waits while the media service is away', async () => {
    await using world = await publishingWorld()
    world.script.getForPublishing = async () => Promise.reject(unavailable())
    const attempt = await held(world, { media_ids: [newId('media')] })
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'claimed', tries: 1 })
    expect(world.calls.prepare).toEqual([])
  })

  test('goes on from the uploads that were done when its worker was lost or the platform failed', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'published', ...LIVE })
    let isFirst = true
    const { connectorOf } = world.deps
    world.deps.connectorOf = (platform) => {
      const connector = connectorOf(platform)
      return (
        connector && {
          ...connector,
          prepare: async (input) => {
            world.calls.prepare.push(input)
            if (!isFirst) return { outcome: 'ready', step: { ids: ['1', '2'] } }
            isFirst = false
            await input.onStep?.({ ids: ['1'] })
            return { outcome: 'transient', message: 'The platform went away.' }
          },
        }
      )
    }
    const attempt = await held(world)
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({ step: { ids: ['1'] }, is_prepared: false })
    await comeDue(world)
    await publish(world.deps, await take(world, 'claimed'))
    expect(world.calls.prepare[1]).toMatchObject({ step: { ids: ['1'] } })
    expect(world.calls.commit).toMatchObject([{ step: { ids: ['1', '2'] } }])
  })
})
