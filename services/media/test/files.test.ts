import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { FILE_TYPES, type FileMimeType, type Media } from '@herald/contracts/media'
import { StorageUnavailable } from '@herald/storage/errors'
import type { Storage } from '@herald/storage/storage'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { fileServer } from '../src/file-server.ts'
import { serveFiles, type ServeFilesOptions } from '../src/serve-files.ts'
import { pngOfSize } from './pictures.ts'
import { type Ending, SAMPLES } from './samples.ts'
import { mediaWorld, put, uploaded, type World } from './world.ts'

const SHOWN = ['jpg', 'png', 'webp', 'gif', 'mp4', 'mov', 'webm']

const TYPES = Object.fromEntries(
  Object.entries(FILE_TYPES).map(([mimeType, { endings }]) => [endings[0], mimeType]),
) as Record<Ending, FileMimeType>

/** The headers that say something of the file or of what may be done with it. */
function headersOf({ headers }: Response): Record<string, string> {
  const { date, connection, 'keep-alive': _, ...rest } = Object.fromEntries(headers)
  expect(Date.parse(date ?? '')).not.toBeNaN()
  expect(connection).toMatch(/^(keep-alive|close)$/)
  return rest
}

const FIXED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'accept-ranges': 'bytes',
}

describe('a file is served with its own type and nothing that it may do', () => {
  test.each(Object.entries(SAMPLES))('%s', async (ending, bytes) => {
    await using world = await mediaWorld()
    const mimeType = TYPES[ending as Ending]
    const fileName = `a name.${ending}`
    const media = await uploaded(world, bytes, { fileName, mimeType })
    const answer = await fetch(media.url!, { redirect: 'error' })
    expect(answer.status).toBe(200)
    const { rows } = await world.pool.query('select sha256 from media')
    const shown = SHOWN.includes(ending) ? 'inline' : 'attachment'
    expect(headersOf(answer)).toEqual({
      ...FIXED,
      'content-type': mimeType,
      'content-length': String(bytes.length),
      'content-disposition': `${shown}; filename="${fileName}"; filename*=UTF-8''a%20name.${ending}`,
      etag: `"${rows[0].sha256}"`,
      'cache-control': 'public, max-age=3600',
    })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
    expect(media.url).toMatch(new RegExp(`/files/[a-z0-9]{40}\\.${ending}$`))
  })

  test('a thumbnail', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const answer = await fetch(media.thumbnailUrl!)
    const { rows } = await world.pool.query('select sha256 from media')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(headersOf(answer)).toEqual({
      ...FIXED,
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      'content-disposition': `inline; filename="thumbnail.webp"; filename*=UTF-8''thumbnail.webp`,
      etag: `"t-${rows[0].sha256}"`,
      'cache-control': 'public, max-age=3600',
    })
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
  })
})

test.each([
  ['plain.png', 'plain.png', 'plain.png'],
  ['two words.png', 'two words.png', 'two%20words.png'],
  ['a "quoted".png', 'a _quoted_.png', 'a%20%22quoted%22.png'],
  ["it's (1)*.png", "it's (1)*.png", 'it%27s%20%281%29%2A.png'],
  ['100%.png', '100_.png', '100%25.png'],
  ['a;b=c, d.png', 'a;b=c, d.png', 'a%3Bb%3Dc%2C%20d.png'],
  ['Größe.png', 'Gr__e.png', 'Gr%C3%B6%C3%9Fe.png'],
  ['😀.png', '__.png', '%F0%9F%98%80.png'],
  ['صورة.png', '____.png', '%D8%B5%D9%88%D8%B1%D8%A9.png'],
  ['.htaccess', '.htaccess', '.htaccess'],
  ['CON', 'CON', 'CON'],
])('184: the name %s is told as %s and %s', async (fileName, plain, full) => {
  await using world = await mediaWorld()
  const media = await uploaded(world, undefined, { fileName })
  const { headers } = await fetch(media.url!)
  expect(headers.get('content-disposition')).toBe(
    `inline; filename="${plain}"; filename*=UTF-8''${full}`,
  )
})

/** One request with its target exactly as written, which `fetch` would tidy up. */
async function raw(
  world: World,
  method: string,
  path: string,
  headers: Record<string, string> = {},
) {
  const { port } = new URL(world.filesUrl)
  const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }).end()
  const [answer] = await once(sent, 'response')
  const body = Buffer.concat(await answer.toArray()).toString()
  return { status: answer.statusCode, headers: answer.headers, body }
}

describe('a reader', () => {
  const bytes = pngOfSize(1000)
  const asked = async (world: World, media: Media, headers: Record<string, string>) => {
    const answer = await fetch(media.url!, { headers })
    const { status } = answer
    const body = Buffer.from(await answer.arrayBuffer())
    return { status, headers: answer.headers, body }
  }

  test('that asks by HEAD gets the same headers and no bytes, and no part', async () => {
    await using world = await mediaWorld()
    const { url } = await uploaded(world, bytes)
    const [get, head, part] = await Promise.all([
      fetch(url!),
      fetch(url!, { method: 'HEAD' }),
      fetch(url!, { method: 'HEAD', headers: { range: 'bytes=0-9' } }),
    ])
    expect([head.status, part.status]).toEqual([200, 200])
    expect(headersOf(head)).toEqual(headersOf(get))
    expect(headersOf(part)).toEqual(headersOf(get))
    expect(await head.text()).toBe('')
  })

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100-199', 100, 200],
    ['bytes=990-', 990, 1000],
    ['bytes=-1', 999, 1000],
    ['bytes=-5000', 0, 1000],
    ['bytes=990-5000', 990, 1000],
  ])('206: gets the part %s', async (range, start, end) => {
    await using world = await mediaWorld()
    const media = await uploaded(world, bytes)
    const answer = await asked(world, media, { range })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`)
    expect(answer.headers.get('content-length')).toBe(String(end - start))
    expect(answer.body).toEqual(bytes.subarray(start, end))
  })

  test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
    '416: %s is not in the file',
    async (range) => {
      await using world = await mediaWorld()
      const media = await uploaded(world, bytes)
      const answer = await asked(world, media, { range })
      expect(answer.status).toBe(416)
      expect(answer.headers.get('content-range')).toBe('bytes */1000')
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.body.toString()).toBe('The file has no such range.')
    },
  )

  test('200: gets the whole file when several parts are asked for, or of another version', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, bytes)
    const { headers } = await asked(world, media, {})
    const etag = headers.get('etag')!
    const range = 'bytes=0-9'
    for (const wanted of [
      { range: 'bytes=0-9,20-29' },
      { range: 'items=0-9' },
      { range, 'if-range': '"another"' },
      { range, 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' },
    ]) {
      const answer = await asked(world, media, wanted)
      expect(answer.status).toBe(200)
      expect(answer.headers.has('content-range')).toBe(false)
      expect(answer.body).toEqual(bytes)
    }
    expect(await asked(world, media, { range, 'if-range': etag })).toMatchObject({ status: 206 })
  })

  test('304: that has the file already gets no bytes', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, bytes)
    const { headers } = await asked(world, media, {})
    const etag = headers.get('etag')!
    const { pathname } = new URL(media.url!)
    const knowing = (known: string) =>
      raw(world, 'GET', pathname, { 'if-none-match': known, range: 'bytes=0-9' })
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*'])
      expect(await knowing(known)).toMatchObject({ status: 304, body: '', headers: { etag } })
    expect(await knowing('"another"')).toMatchObject({ status: 206 })
  })

  test('246: gets 404 at once when the file is deleted, also for its thumbnail', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, bytes)
    const { headers } = await asked(world, media, {})
    await world.remove(media.id)
    for (const url of [media.url!, media.thumbnailUrl!]) {
      const answer = await fetch(url, { headers: { 'if-none-match': headers.get('etag')! } })
      expect(answer.status).toBe(404)
      expect(headersOf(answer)).toMatchObject({ ...FIXED, 'cache-control': 'no-store' })
      expect(answer.headers.has('etag')).toBe(false)
    }
  })
})

describe('an address of no file', () => {
  const NAME = 'a'.repeat(40)
  test.each([
    '/',
    '/files',
    '/files/',
    `/files/${NAME}.png`,
    `/files/${NAME}`,
    `/FILES/${NAME}.png`,
    `/files/${NAME}.png/`,
    `/thumbnails/${NAME}.webp`,
    '/files/../../etc/passwd',
    '/files/..%2f..%2fetc%2fpasswd',
    '/files/%2e%2e/%2e%2e/etc/passwd',
    '/files//etc/passwd',
    '//files/x.png',
    '/files/a%00.png',
    '/files/%E0%A4%A',
    '/files/%',
    "/files/a'or'1'='1.png",
    '/storage/objects/files/a.png',
    '/objects',
  ])('404: %s', async (path) => {
    await using world = await mediaWorld()
    const { status, headers, body } = await raw(world, 'GET', path)
    expect(status).toBe(404)
    expect(body).toBe('There is no such file.')
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
    expect(headers).not.toHaveProperty('x-powered-by')
  })

  test('404: a pending file, a staging key, and a file by the address of its thumbnail', async () => {
    await using world = await mediaWorld()
    const announced = await world.announce({ fileSize: SAMPLES.png.length })
    await put(announced, SAMPLES.png)
    expect((await raw(world, 'GET', `/files/${announced.media.id}.png`)).status).toBe(404)
    const ready = await world.complete(announced.media.id)
    const swapped = new URL(ready.url!).pathname.replace('files', 'thumbnails')
    expect((await raw(world, 'GET', swapped)).status).toBe(404)
  })

  test('404: a name of 8,000 letters', async () => {
    await using world = await mediaWorld()
    expect(await raw(world, 'GET', `/files/${'a'.repeat(8_000)}.png`)).toMatchObject({
      status: 404,
    })
  })

  test('a part of the answer never repeats what was asked', async () => {
    await using world = await mediaWorld()
    const { body } = await raw(world, 'GET', '/files/canary.png?canary')
    expect(body).not.toContain('canary')
  })
})

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'])(
  '405: a file cannot be asked for by %s',
  async (method) => {
    await using world = await mediaWorld()
    const { url } = await uploaded(world)
    const { status, headers, body } = await raw(world, method, new URL(url!).pathname)
    expect(status).toBe(405)
    expect(headers.allow).toBe('GET, HEAD')
    expect(body).toBe('Files can only be read.')
    expect((await fetch(url!)).status).toBe(200)
  },
)

/** A file server on the world's database whose storage is another one. */
async function serverWith(
  world: World,
  options: {
    storage?: Partial<Storage>
    uploadWithinMs?: number
    limits?: Partial<ServeFilesOptions>
  },
) {
  const storage = { ...world.storage, ...options.storage }
  const app = fileServer({
    pool: world.pool,
    storage,
    uploads: world.handleUpload,
    uploadWithinMs: options.uploadWithinMs ?? 900_000,
    logger: world.deps.logger,
  })
  const { url, close } = await serveFiles(app, { host: '127.0.0.1', port: 0, ...options.limits })
  return { url, close, [Symbol.asyncDispose]: close }
}

describe('when storage', () => {
  const fail = async () => Promise.reject(new StorageUnavailable('away'))
  test.each<[string, Partial<Storage>]>([
    ['does not give the bytes', { get: fail }],
    ['does not tell the size', { get: fail, head: fail }],
  ])('503 with Retry-After: %s', async (_name, storage) => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await using server = await serverWith(world, { storage })
    for (const url of [media.url!, media.thumbnailUrl!]) {
      const answer = await fetch(server.url + new URL(url).pathname, {
        headers: { range: 'bytes=0-9' },
      })
      expect(answer.status).toBe(503)
      expect(await answer.text()).toBe('The file cannot be had right now.')
      expect(headersOf(answer)).toEqual({
        ...FIXED,
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'text/plain; charset=utf-8',
        'content-length': '33',
      })
    }
  })

  test('F44: breaks off in the middle, the reader sees that it did', async () => {
    await using world = await mediaWorld()
    const { url } = await uploaded(world, pngOfSize(1000))
    await using server = await serverWith(world, {
      storage: {
        get: async () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(500)
              throw new StorageUnavailable('cut')
            })(),
          ),
      },
    })
    const answer = await fetch(server.url + new URL(url!).pathname)
    expect(answer.status).toBe(200)
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
  })

  test('F45: has lost the object, it is 404', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    for (const key of await world.objects()) await world.storage.delete(key)
    for (const url of [media.url!, media.thumbnailUrl!]) {
      const answer = await fetch(url)
      expect(answer.status).toBe(404)
      expect(await answer.text()).toBe('There is no such file.')
    }
  })

  test('503: the database does not answer', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const pool = { query: async () => Promise.reject(new Error('secret')) } as never
    const app = fileServer({ ...world.deps, pool, uploadWithinMs: 1000 })
    await using server = Object.assign(await serveFiles(app, { host: '127.0.0.1', port: 0 }), {
      [Symbol.asyncDispose]: async () => {},
    })
    const answer = await fetch(server.url + new URL(media.url!).pathname)
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('secret')
    await server.close()
  })
})

test('a reader that goes away in the middle leaves nothing open', async () => {
  await using world = await mediaWorld()
  const media = await uploaded(world, pngOfSize(8 * 1024 * 1024))
  const opened: Readable[] = []
  await using server = await serverWith(world, {
    storage: {
      get: async (...input) => {
        const body = await world.storage.get(...input)
        opened.push(body)
        return body
      },
    },
  })
  const url = server.url + new URL(media.url!).pathname
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const stop = new AbortController()
      const answer = await fetch(url, { signal: stop.signal })
      await answer.body!.getReader().read()
      stop.abort()
    }),
  )
  expect(opened).toHaveLength(20)
  await eventually(() => expect(opened.every(({ destroyed }) => destroyed)).toBe(true))
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(8 * 1024 * 1024)
})

test('a reader that is gone before its file is found makes nothing open', async () => {
  await using world = await mediaWorld()
  const media = await uploaded(world)
  const { promise: isFound, resolve: find } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  let opened = 0
  const pool = {
    query: async (...input: unknown[]) => {
      ask()
      await isFound
      return (world.pool.query as (...all: unknown[]) => unknown)(...input)
    },
  } as never
  const storage: Storage = {
    ...world.storage,
    get: async (key, range, signal) => {
      expect(signal?.aborted).toBe(true)
      opened += 1
      return world.storage.get(key, range, signal)
    },
  }
  const app = fileServer({ pool, storage, logger: world.deps.logger, uploadWithinMs: 1000 })
  const server = await serveFiles(app, { host: '127.0.0.1', port: 0 })
  const stop = new AbortController()
  const asked = fetch(server.url + new URL(media.url!).pathname, { signal: stop.signal })
  await isAsked
  stop.abort()
  await expect(asked).rejects.toThrow('aborted')
  const { port } = new URL(server.url)
  // A connection of another reader gets its turn only after the first one's end was seen.
  const other = connect(Number(port), '127.0.0.1')
  await once(other, 'connect')
  find()
  await eventually(() => expect(opened).toBe(1))
  other.destroy()
  await server.close()
})

describe('whoever takes too long', () => {
  const open = async (url: string, text: string) => {
    const { port, hostname } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.write(text)
    const closed = once(socket, 'close')
    return { socket, closed, text: () => Buffer.concat(chunks).toString('latin1') }
  }

  test('F50: for the head of a request is answered 408 and let go', async () => {
    await using world = await mediaWorld()
    await using server = await serverWith(world, { limits: { headWithinMs: 200 } })
    const slow = await open(server.url, 'GET /files/x.png HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    await slow.closed
    expect(slow.text()).toContain('408')
  })

  test('for reading a file, and reads nothing, is let go', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world, pngOfSize(32 * 1024 * 1024))
    let body: Readable | undefined
    await using server = await serverWith(world, {
      limits: { idleMs: 300 },
      storage: { get: async (...input) => (body = await world.storage.get(...input)) },
    })
    const { pathname } = new URL(media.url!)
    const { port, hostname } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await eventually(() => expect(body?.destroyed).toBe(true))
    socket.destroy()
  })

  test('for sending an upload is cut off when its time is over, and nothing is kept', async () => {
    await using world = await mediaWorld()
    const { upload, media } = await world.announce({ fileSize: 1000 })
    await using server = await serverWith(world, { uploadWithinMs: 300 })
    const { pathname, search, host } = new URL(upload.url)
    const headers = Object.entries(upload.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n`
    const own = headers.filter((line) => !/^(host|content-length):/i.test(line)).join('')
    const slow = await open(server.url, `${head}${own}\r\n${'a'.repeat(500)}`)
    await slow.closed
    expect(slow.text()).not.toContain('200')
    expect(await world.objects()).toEqual([])
    await world.remove(media.id)
  })

  test('beyond the most connections is not let in, and is when another has gone', async () => {
    await using world = await mediaWorld()
    await using server = await serverWith(world, { limits: { mostConnections: 1 } })
    const first = await open(server.url, '')
    const second = await open(server.url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await second.closed
    expect(second.text()).toBe('')
    first.socket.destroy()
    await eventually(async () => expect((await fetch(server.url)).status).toBe(404))
  })
})

describe('an upload through the file server', () => {
  const code = async (answer: Response) => /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]

  test.each<
    [string, number, string, (url: string, headers: Record<string, string>) => Promise<Response>]
  >([
    ['a method that is not PUT', 405, 'MethodNotAllowed', (url) => fetch(url)],
    [
      'another type',
      403,
      'SignatureDoesNotMatch',
      (url, headers) =>
        fetch(url, {
          method: 'PUT',
          headers: { ...headers, 'content-type': 'text/html' },
          body: new Uint8Array(SAMPLES.png),
        }),
    ],
    [
      'another length',
      403,
      'SignatureDoesNotMatch',
      (url, headers) =>
        fetch(url, { method: 'PUT', headers, body: new Uint8Array([...SAMPLES.png, 1]) }),
    ],
    [
      'an open door',
      403,
      'AccessDenied',
      (url, headers) =>
        fetch(url, {
          method: 'PUT',
          headers: { ...headers, 'x-amz-acl': 'public-read' },
          body: new Uint8Array(SAMPLES.png),
        }),
    ],
    [
      'another key',
      403,
      'SignatureDoesNotMatch',
      (url, headers) =>
        fetch(url.replace('/uploads/media/uploads/', '/uploads/media/files/'), {
          method: 'PUT',
          headers,
          body: new Uint8Array(SAMPLES.png),
        }),
    ],
    [
      'another bucket',
      404,
      'NoSuchBucket',
      (url, headers) =>
        fetch(url.replace('/uploads/media/', '/uploads/other/'), {
          method: 'PUT',
          headers,
          body: new Uint8Array(SAMPLES.png),
        }),
    ],
    [
      'a raised expiry',
      403,
      'SignatureDoesNotMatch',
      (url, headers) =>
        fetch(url.replace('X-Amz-Expires=900', 'X-Amz-Expires=90000'), {
          method: 'PUT',
          headers,
          body: new Uint8Array(SAMPLES.png),
        }),
    ],
    [
      'no signature',
      403,
      'AccessDenied',
      (url, headers) =>
        fetch(url.split('?')[0]!, { method: 'PUT', headers, body: new Uint8Array(SAMPLES.png) }),
    ],
  ])(
    '195–201, 205: with %s is refused with %i %s, and nothing is kept',
    async (_name, status, expected, send) => {
      await using world = await mediaWorld()
      const { upload } = await world.announce({ fileSize: SAMPLES.png.length })
      const {
        host: _host,
        'content-length': _length,
        ...headers
      } = Object.fromEntries(
        Object.entries(upload.headers).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const answer = await send(upload.url, headers)
      expect([answer.status, await code(answer)]).toEqual([status, expected])
      expect(headersOf(answer)).toMatchObject(FIXED)
      expect(await world.objects()).toEqual([])
    },
  )
})
