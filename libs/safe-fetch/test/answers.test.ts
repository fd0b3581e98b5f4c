import { eventually } from '@herald/testing/eventually'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { download } from '../src/download.ts'
import { isTestPublic, outcome } from './outcome.ts'
import { OK, pour, serving } from './public-server.ts'
import { answering } from './tcp-server.ts'

const KB = 'x'.repeat(1_024)

describe('a file', () => {
  test('comes with what its server says of it', async () => {
    await using server = await serving((socket) =>
      socket.end(
        `${OK}content-type: image/png; x=y\r\ncontent-length: 5\r\ncontent-disposition: inline; filename="../a.png"\r\n\r\nbytes`,
      ),
    )
    const { body, ...file } = await download(`${server.url}#part`, server.options)
    expect(file).toEqual({
      contentType: 'image/png; x=y',
      contentLength: 5,
      fileName: '../a.png',
      url: server.url,
    })
    expect(await buffer(body)).toEqual(Buffer.from('bytes'))
  })

  test('may have no type, no length and a name from its address', async () => {
    await using server = await serving((socket) => socket.end(`${OK}\r\nbytes`))
    const { body, ...file } = await download(server.url, server.options)
    expect(file).toEqual({
      contentType: undefined,
      contentLength: undefined,
      fileName: 'file.png',
      url: server.url,
    })
    expect(await buffer(body)).toEqual(Buffer.from('bytes'))
  })

  test.each([
    ['in chunks', `${OK}transfer-encoding: chunked\r\n\r\n2\r\nby\r\n3\r\ntes\r\n0\r\n\r\n`],
    ['in the form of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nbytes'],
    ['expressly not encoded', `${OK}Content-Encoding: Identity\r\ncontent-length: 5\r\n\r\nbytes`],
    [
      '182 after a few interim answers',
      `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(8)}${OK}content-length: 5\r\n\r\nbytes`,
    ],
    [
      '181 with the type of another, which is for others to find',
      `${OK}content-type: text/html\r\n\r\nbytes`,
    ],
  ])('may come %s', async (_, answer) => {
    await using server = await serving((socket) => socket.end(answer))
    expect(await outcome(server.url, server.options)).toEqual({ file: 'bytes' })
  })

  test('may be empty', async () => {
    await using server = await serving((socket) => socket.end(`${OK}content-length: 0\r\n\r\n`))
    expect(await outcome(server.url, server.options)).toEqual({ file: '' })
  })

  test.each(['content-length: 100000\r\n\r\n', 'connection: close\r\n\r\n'])(
    'may be exactly as long as allowed, with the head %j',
    async (head) => {
      const bytes = 'x'.repeat(100_000)
      await using server = await serving((socket) => socket.end(`${OK}${head}${bytes}`))
      expect(await outcome(server.url, server.options)).toEqual({ file: bytes })
    },
  )

  test('waits until it is read, also when that is later than its server closes', async () => {
    await using server = await serving((socket) =>
      socket.end(`${OK}content-length: 5\r\n\r\nbytes`),
    )
    const { body } = await download(server.url, server.options)
    await eventually(() => expect(server.open()).toBe(0))
    expect(await buffer(body)).toEqual(Buffer.from('bytes'))
  })

  test('has a connection of its own that is closed when the file was read', async () => {
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 5\r\n\r\nbytes`),
    )
    for (let count = 1; count <= 3; count++) {
      expect(await outcome(server.url, server.options)).toEqual({ file: 'bytes' })
      await eventually(() => expect(server.open()).toBe(0))
      expect(server.seen.connections).toBe(count)
    }
  })
})

describe('an answer is refused', () => {
  test.each([201, 204, 206, 400, 401, 403, 404, 410, 429, 500, 503])(
    '180 with the status %i',
    async (status) => {
      await using server = await serving((socket) =>
        socket.end(`HTTP/1.1 ${status} x\r\ncontent-length: 0\r\n\r\n`),
      )
      expect(await outcome(server.url, server.options)).toEqual({ refused: `status_${status}` })
    },
  )

  test.each([
    ['179 packed', 'content-encoding: gzip'],
    ['179 packed twice', 'content-encoding: identity, br'],
    ['179 packed in transfer', 'transfer-encoding: gzip, chunked'],
  ])('%s', async (_, header) => {
    await using server = await serving((socket) => socket.end(`${OK}${header}\r\n\r\n0\r\n\r\n`))
    expect(await outcome(server.url, server.options)).toHaveProperty('refused', 'encoded')
  })

  test.each<[title: string, refused: string, write: (socket: Socket) => void]>([
    [
      '182 with endless headers',
      'no_answer',
      (socket) => {
        socket.write(OK)
        pour(socket, 'x-filler: 1\r\n')
      },
    ],
    [
      '182 with one endless header',
      'no_answer',
      (socket) => {
        socket.write(`${OK}x: `)
        pour(socket, KB)
      },
    ],
    [
      '182 with an endless reason',
      'no_answer',
      (socket) => {
        socket.write('HTTP/1.1 200 ')
        pour(socket, KB)
      },
    ],
    [
      '182 after a storm of 100',
      'too_many_interim_answers',
      (socket) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    [
      '182 after a storm of 103',
      'too_many_interim_answers',
      (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    ],
    [
      'that changes the protocol',
      'no_answer',
      (socket) => socket.write('HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['that is not HTTP', 'no_answer', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['that is nothing', 'no_answer', (socket) => socket.end()],
    ['that is a reset', 'no_answer', (socket) => socket.resetAndDestroy()],
    [
      'with both ways to tell a length',
      'no_answer',
      (socket) =>
        socket.end(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
  ])('%s', async (_, refused, write) => {
    await using server = await serving(write)
    expect(await outcome(server.url, server.options)).toEqual({ refused })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test.each([
    ['182 with endless trailers', '0\r\n', 'x-filler: 1\r\n'],
    ['182 with an endless chunk extension', '5;a=', KB],
  ])('%s', async (_, start, text) => {
    await using server = await serving((socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n${start}`)
      pour(socket, text)
    })
    expect(await outcome(server.url, server.options)).toEqual({ refused: 'cut_off' })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('when nobody listens', async () => {
    const server = await answering(() => '', { host: '127.0.0.1' })
    await server[Symbol.asyncDispose]()
    const options = { ports: [server.port], isAllowedAddress: isTestPublic }
    const url = `http://127.0.0.1:${server.port}/`
    expect(await outcome(url, options)).toEqual({ refused: 'connect_failed' })
  })
})
