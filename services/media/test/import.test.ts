import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ImportMediaBody, MAX_FILE_BYTES, Media } from '@herald/contracts/media'
import { loadEvents } from '@herald/event-store/handle'
import { WorkersBusy } from '@herald/media-files/workers-busy'
import { download } from '@herald/safe-fetch/download'
import { describe, expect, test } from 'vitest'
import { pdfOfSize, png, pngOfSize } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { mediaWorld, origin, refusalOf, type World, type WorldOptions } from './world.ts'

/** What every refusal of an address says, whatever the reason. */
const NOT_DOWNLOADED = {
  code: 'validation_failed',
  message: 'The file could not be downloaded from this address.',
  details: { issues: [{ path: 'url', message: 'cannot be downloaded' }] },
}

/** Nothing of an import that failed is left anywhere. */
async function expectNothingKept(world: World): Promise<void> {
  expect((await world.pool.query('select from streams')).rowCount).toBe(0)
  expect((await world.pool.query('select from import_holds')).rowCount).toBe(0)
  expect(await world.used()).toBe(0)
  await world.clean()
  expect(await world.objects()).toEqual([])
  expect(readdirSync(world.folder)).toEqual(['storage'])
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

async function refusedFrom(listener: Listener, options: WorldOptions = {}) {
  await using server = await origin(listener)
  await using world = await mediaWorld(options)
  const refusal = await refusalOf(world.import({ url: `${server.url}/a.png` }))
  expect(refusal.status).toBe(422)
  await expectNothingKept(world)
  return refusal.toBody()
}

describe('201', () => {
  test('the file is ready at once, with all that is known of it', async () => {
    const bytes = png(640, 480)
    await using server = await origin((_request, response) => void response.end(bytes))
    await using world = await mediaWorld()
    const media = await world.import({ url: `${server.url}/cat.png`, altText: 'A cat' })
    expect(Media.parse(media)).toMatchObject({
      status: 'ready',
      type: 'image',
      mimeType: 'image/png',
      fileName: 'cat.png',
      sizeBytes: bytes.length,
      width: 640,
      height: 480,
      durationSeconds: null,
      altText: 'A cat',
      description: null,
    })
    expect(Buffer.from(await (await fetch(media.url!)).arrayBuffer())).toEqual(bytes)
    expect((await fetch(media.thumbnailUrl!)).status).toBe(200)
    expect(await world.get(media.id)).toEqual(media)
    expect(await world.used()).toBe(bytes.length)
    const events = await loadEvents(world.pool, media.id, world.own)
    expect(events.map(({ type }) => type)).toEqual(['MediaImported'])
    expect(readdirSync(world.folder)).toEqual(['storage'])
  })

  test('210: completing it as if it were an upload changes nothing', async () => {
    await using server = await origin((_request, response) => void response.end(png()))
    await using world = await mediaWorld()
    const media = await world.import({ url: server.url })
    expect(await world.complete(media.id)).toEqual(media)
  })

  test('187: the same address twice at once gives two files', async () => {
    await using server = await origin((_request, response) => void response.end(png()))
    await using world = await mediaWorld()
    const [one, two] = await Promise.all([
      world.import({ url: server.url }),
      world.import({ url: server.url }),
    ])
    expect(one.id).not.toBe(two.id)
    expect(one.url).not.toBe(two.url)
  })

  test.each<[string, string | undefined, string | undefined, string]>([
    ['/cat.png', undefined, undefined, 'cat.png'],
    ['/cat.png?size=large#top', undefined, undefined, 'cat.png'],
    ['/a%20b.png', undefined, undefined, 'a b.png'],
    ['/', undefined, undefined, 'file.png'],
    ['/download.php', undefined, undefined, 'download.php.png'],
    ['/x', 'attachment; filename="dog.png"', undefined, 'dog.png'],
    ['/x', "attachment; filename=a.png; filename*=UTF-8''%F0%9F%98%80.png", undefined, '😀.png'],
    ['/x', 'attachment; filename="dog.jpg"', undefined, 'dog.jpg.png'],
    ['/x', 'attachment; filename="dog.png"', 'Given.png', 'Given.png'],
    ['/x', 'attachment', 'No ending', 'No ending'],
    ['/x', 'attachment; filename="../../etc/passwd"', undefined, 'passwd.png'],
    ['/x', 'attachment; filename="a\\\\b\\\\c.png"', undefined, 'c.png'],
    ['/x', "attachment; filename*=UTF-8''a%0d%0ab%00.png", undefined, 'ab.png'],
    ['/x', "attachment; filename*=UTF-8''%E2%80%AEgpj.exe", undefined, 'gpj.exe.png'],
    ['/x', 'attachment; filename=".htaccess"', undefined, '.htaccess.png'],
    ['/x', 'attachment; filename=".."', undefined, 'file.png'],
    ['/x', 'attachment; filename="   "', undefined, 'file.png'],
    ['/x', `attachment; filename="${'n'.repeat(300)}.png"`, undefined, `${'n'.repeat(251)}.png`],
    ['/x', 'attachment; filename="CON"', undefined, 'CON.png'],
  ])(
    '184: from %s with %j, called %j, it is named %s',
    async (path, disposition, fileName, name) => {
      await using server = await origin((_request, response) => {
        if (disposition) response.setHeader('Content-Disposition', disposition)
        response.end(png())
      })
      await using world = await mediaWorld()
      const media = await world.import({ url: server.url + path, ...(fileName && { fileName }) })
      expect(media.fileName).toBe(name)
      expect((await fetch(media.url!)).status).toBe(200)
    },
  )

  test.each(Object.entries(SAMPLES))(
    '181: a file is what its bytes are (%s), whatever its server says',
    async (ending, bytes) => {
      await using server = await origin((_request, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end(bytes)
      })
      await using world = await mediaWorld()
      const { fileName, status } = await world.import({ url: `${server.url}/a.${ending}` })
      expect([fileName, status]).toEqual([`a.${ending}`, 'ready'])
    },
  )

  test('through redirects', async () => {
    await using server = await origin((request, response) => {
      if (request.url === '/a.png') response.end(png())
      else response.writeHead(302, { Location: '/a.png' }).end()
    })
    await using world = await mediaWorld()
    expect((await world.import({ url: `${server.url}/start` })).fileName).toBe('a.png')
  })
})

describe('422: the body', () => {
  test.each<[string, object]>([
    ['no address', {}],
    ['an address of no text', { url: '' }],
    ['an address of 2,001 characters', { url: `http://a.example/${'a'.repeat(1984)}` }],
    ['a number', { url: 1 }],
    ['a name with a slash', { url: 'x', fileName: 'a/b.png' }],
    ['a name with a backslash', { url: 'x', fileName: '..\\x' }],
    ['a name with a NUL', { url: 'x', fileName: 'a\0b' }],
    ['a name with a line break', { url: 'x', fileName: 'a\r\nb' }],
    ['a name of 300 characters', { url: 'x', fileName: 'a'.repeat(300) }],
    ['a name that turns around', { url: 'x', fileName: '\u202egpj.exe' }],
    ['an empty name', { url: 'x', fileName: '' }],
    ['a name of spaces', { url: 'x', fileName: '  ' }],
    ['a name of dots', { url: 'x', fileName: '..' }],
    ['half a surrogate pair', { url: 'x', fileName: '\ud83d.png' }],
    ['185: an alternative text of 100 KB', { url: 'x', altText: 'a'.repeat(100_000) }],
    ['a field that there is not', { url: 'x', status: 'ready' }],
  ])('%s', (_name, body) => {
    expect(ImportMediaBody.safeParse(body).success).toBe(false)
  })

  test('a name whose ending says something else than the file is', async () => {
    await using server = await origin((_request, response) => void response.end(png()))
    await using world = await mediaWorld()
    for (const fileName of ['virus.exe', 'a.pdf', 'page.html']) {
      const refusal = await refusalOf(world.import({ url: server.url, fileName }))
      expect(refusal).toMatchObject({
        status: 422,
        code: 'validation_failed',
        details: { issues: [{ path: 'fileName', message: 'does not fit the type image/png' }] },
      })
    }
    await expectNothingKept(world)
  })
})

describe('422: what cannot be downloaded says one thing only:', () => {
  const short = {
    dnsMs: 300,
    connectMs: 300,
    totalMs: 600,
    minBytesPerSecond: 10_000,
    rateWindowMs: 200,
  }
  const impatient: WorldOptions = {
    deps: () => ({
      download: (address, options) => download(address, { ...options, timings: short }),
    }),
  }
  test.each<[string, Listener, WorldOptions?]>([
    ...[201, 204, 206, 300, 304, 400, 401, 403, 404, 410, 429, 500, 503].map(
      (status): [string, Listener] => [
        `status ${status}`,
        (_request, response) =>
          void response.writeHead(status).end([204, 304].includes(status) ? undefined : png()),
      ],
    ),
    ['a redirect to nowhere', (_request, response) => void response.writeHead(302).end()],
    [
      'redirects without end',
      (request, response) => void response.writeHead(302, { Location: `${request.url}a` }).end(),
    ],
    [
      'a redirect to a file of the machine',
      (_request, response) =>
        void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
    ],
    [
      '179: a compressed body',
      (_request, response) =>
        void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(png()),
    ],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': 1000 })
        response.write(png(), () => response.destroy())
      },
    ],
    ['no answer', (request) => void request.socket.destroy()],
    [
      'an announced length beyond the largest',
      (_request, response) =>
        response.writeHead(200, { 'Content-Length': MAX_FILE_BYTES.video + 1 }).flushHeaders(),
    ],
    [
      '177: a stall in the middle',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': 1000 })
        response.write('a')
      },
      impatient,
    ],
    [
      '178: one byte a time',
      (_request, response) => {
        const timer = setInterval(() => response.write('a'), 20)
        response.once('close', () => clearInterval(timer))
      },
      impatient,
    ],
    ['an answer that never begins', () => {}, impatient],
  ])('%s', async (_name, listener, options) => {
    expect(await refusedFrom(listener, options)).toEqual(NOT_DOWNLOADED)
  })

  test('175: more bytes than the largest file may have, of a length that was not announced', async () => {
    const megabyte = Buffer.alloc(1024 * 1024)
    let sent = 0
    const body = await refusedFrom((_request, response) => {
      const pour = () => {
        while (!response.destroyed && sent < 300 * megabyte.length) {
          sent += megabyte.length
          if (!response.write(megabyte)) return void response.once('drain', pour)
        }
      }
      pour()
    })
    expect(body).toEqual(NOT_DOWNLOADED)
    expect(sent).toBeLessThan(300 * megabyte.length)
  })

  test.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    '//127.0.0.1/a.png',
    'not an address',
    'http://',
    'http://user:secret@127.0.0.1/a.png',
    'http://no-such-name.invalid/a.png',
    'http://127.0.0.1:1/a.png',
    'http://127.0.0.1:65536/',
  ])('%s', async (url) => {
    await using world = await mediaWorld()
    expect((await refusalOf(world.import({ url }))).toBody()).toEqual(NOT_DOWNLOADED)
    await expectNothingKept(world)
  })

  test('189: what is on our own origins, by whatever name', async () => {
    await using server = await origin((_request, response) => void response.end(png()))
    await using world = await mediaWorld()
    world.deps.settings.downloads.deniedOrigins = [world.filesUrl, server.url]
    const { port } = new URL(world.filesUrl)
    for (const url of [
      `${world.filesUrl}/files/a.png`,
      world.filesUrl.toUpperCase(),
      `http://127.1:${port}/files/a.png`,
      `http://2130706433:${port}/`,
      `https://127.0.0.1:${port}/`,
      `${server.url}/a.png`,
    ])
      expect((await refusalOf(world.import({ url }))).toBody()).toEqual(NOT_DOWNLOADED)
    await expectNothingKept(world)
  })
})

/** A server of this machine that counts who comes. */
async function listener() {
  const state = { connections: 0 }
  const server = createTcpServer((socket: Socket) => {
    state.connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { state, port, [Symbol.asyncDispose]: async () => void server.close() }
}

describe('private addresses', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '①②⑦.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fe80::1]',
    '[fc00::1]',
    'metadata.google.internal',
    'kubernetes.default.svc',
  ])('148–161: %s is refused unless it is allowed, and nobody is asked', async (host) => {
    await using server = await listener()
    await using world = await mediaWorld({
      settings: { downloads: { allowPrivate: false, deniedOrigins: [], ports: [server.port] } },
    })
    const url = `http://${host}:${server.port}/a.png`
    expect((await refusalOf(world.import({ url }))).toBody()).toEqual(NOT_DOWNLOADED)
    expect(server.state.connections).toBe(0)
    await expectNothingKept(world)
  })

  test('163: ports that are not of the web are refused', async () => {
    await using server = await listener()
    await using world = await mediaWorld({
      settings: { downloads: { allowPrivate: false, deniedOrigins: [], ports: [80, 443] } },
    })
    for (const port of [server.port, 22, 25, 5432, 4222, 6379, 8222])
      expect(
        (await refusalOf(world.import({ url: `http://93.184.215.14:${port}/a.png` }))).toBody(),
      ).toEqual(NOT_DOWNLOADED)
    expect(server.state.connections).toBe(0)
  })

  test('169: a public server cannot lead to one', async () => {
    await using inside = await listener()
    await using server = await origin((_request, response) => {
      response.writeHead(302, { Location: `http://127.0.0.2:${inside.port}/a.png` }).end()
    })
    const isAllowedAddress = (address: string) => address === '127.0.0.1'
    await using world = await mediaWorld({
      deps: () => ({
        download: (address, options) => download(address, { ...options, isAllowedAddress }),
      }),
    })
    const refusal = await refusalOf(world.import({ url: server.url }))
    expect(refusal.toBody()).toEqual(NOT_DOWNLOADED)
    expect(inside.state.connections).toBe(0)
  })
})

describe('422: what is no file that Herald takes says what is wrong with it:', () => {
  test.each<[string, Buffer | string]>([
    ['181: a page that is called a picture', '<html><script>alert(1)</script></html>'.padEnd(200)],
    ['213: nothing', ''],
    ['213: one byte', 'a'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['half a picture', png(400, 400).subarray(0, 200)],
  ])('%s', async (_name, bytes) => {
    const body = await refusedFrom((_request, response) => {
      response.setHeader('Content-Type', 'image/png')
      response.end(bytes)
    })
    expect(body.code).toBe('validation_failed')
    expect(body.message).toMatch(/^[A-Z][^/]*\.$/)
  })
})

/** A video with a box of nothing that makes it exactly so many bytes long. */
function mp4OfSize(sizeBytes: number): Buffer {
  const free = Buffer.alloc(sizeBytes - SAMPLES.mp4.length)
  free.writeUInt32BE(free.length)
  free.write('free', 4)
  return Buffer.concat([SAMPLES.mp4, free])
}

describe('237: a file may have as many bytes as its kind allows', () => {
  test.each<[string, number, (size: number) => Buffer]>([
    ['an image', MAX_FILE_BYTES.image, pngOfSize],
    ['a video', MAX_FILE_BYTES.video, mp4OfSize],
    ['a document', MAX_FILE_BYTES.document, pdfOfSize],
  ])('%s of %i bytes, and no more', async (_name, limit, make) => {
    await using server = await origin((request, response) => {
      const bytes = make(request.url === '/most' ? limit : limit + 1)
      response.end(bytes)
    })
    await using world = await mediaWorld()
    const refusal = await refusalOf(world.import({ url: `${server.url}/more` }))
    expect(refusal).toMatchObject({ status: 422, code: 'validation_failed' })
    if (limit === MAX_FILE_BYTES.image)
      expect(refusal.message).toBe(
        `The file has ${limit + 1} bytes; a file of this type may have ${limit}.`,
      )
    await expectNothingKept(world)
    const media = await world.import({ url: `${server.url}/most` })
    expect(media.sizeBytes).toBe(limit)
    expect(await world.used()).toBe(limit)
  })
})

describe('503, and nothing is kept:', () => {
  test('the workers have too much to do', async () => {
    await using server = await origin((_request, response) => void response.end(png()))
    await using world = await mediaWorld({
      deps: () => ({ inspect: async () => Promise.reject(new WorkersBusy('busy')) }),
    })
    expect(await refusalOf(world.import({ url: server.url }))).toMatchObject({ status: 503 })
    await expectNothingKept(world)
  })

  test('as many imports of the organization as may are under way, and others still get in', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    await using server = await origin((request, response) => {
      if (request.url !== '/slow') return void response.end(png())
      reach()
      void released.then(() => response.end(png()))
    })
    await using world = await mediaWorld({
      settings: { imports: { most: 2, mostOfOne: 1, waitMs: 50 } },
    })
    const slow = world.import({ url: `${server.url}/slow` })
    await reached
    expect(await refusalOf(world.import({ url: server.url }))).toMatchObject({ status: 503 })
    const other = world.caller('org_01m7yrjgxkea1rjwkq7y3n136j')
    expect((await world.import({ url: server.url }, other)).status).toBe('ready')
    release()
    expect((await slow).status).toBe('ready')
  })
})
