import * as tls from 'node:tls'
import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type HttpRequest, type HttpResult, request } from '../src/http.ts'
import { certificateFor } from '@herald/testing/certificate'
import { closedPort, scriptedServer } from './scripted-server.ts'
import { tcpServer } from './tcp-server.ts'

const HEAD = 'HTTP/1.1 200 OK\r\n'

function post(url: string, overrides: Partial<HttpRequest> = {}): Promise<HttpResult> {
  return request({ method: 'POST', url, body: 'the post', timeoutMs: 10_000, ...overrides })
}

/** Calls back once the request has arrived. */
function onRequest(socket: Socket, then: () => void): void {
  socket.once('data', then)
}

describe('a request that was not sent', () => {
  test('is told when nobody listens', async () => {
    expect(await post(await closedPort())).toMatchObject({
      kind: 'not_sent',
      error: { code: 'ECONNREFUSED' },
    })
  })

  test('is told when the connection is reset before it was made', async () => {
    await using server = await tcpServer((socket) => socket.resetAndDestroy())
    expect(await post(server.url)).toMatchObject({ kind: 'not_sent' })
  })

  test('is told when the name has no address', async () => {
    expect(await post('http://no-such-host.invalid')).toMatchObject({ kind: 'not_sent' })
  })

  test.each(['ftp://127.0.0.1', 'not an address', 'http://127.0.0.1:99999'])(
    'is told for the impossible address %s',
    async (url) => {
      expect(await post(url)).toMatchObject({ kind: 'not_sent' })
    },
  )

  test('is told for a header that cannot be written', async () => {
    await using server = await scriptedServer(() => ({}))
    const result = await post(server.url, { headers: { authorization: 'Bearer a\r\nb: c' } })
    expect(result).toMatchObject({ kind: 'not_sent' })
    expect(server.received).toEqual([])
  })

  test('is told when the time is over before it began', async () => {
    await using server = await scriptedServer(() => ({}))
    const result = await post(server.url, { signal: AbortSignal.abort(new Error('stop')) })
    expect(result).toMatchObject({ kind: 'not_sent', error: { message: 'stop' } })
    expect(server.received).toEqual([])
  })

  test('is told when the server speaks no TLS, and no byte of the request reaches it', async () => {
    let bytes = ''
    await using server = await tcpServer((socket) =>
      socket.on('data', (chunk) => {
        bytes += chunk.toString('latin1')
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      }),
    )
    expect(await post(`https://127.0.0.1:${server.port}`)).toMatchObject({ kind: 'not_sent' })
    expect(bytes).not.toContain('the post')
  })

  test('is told when the connection ends during the handshake', async () => {
    await using server = await tcpServer((socket) => onRequest(socket, () => socket.end()))
    expect(await post(`https://127.0.0.1:${server.port}`)).toMatchObject({ kind: 'not_sent' })
  })

  test('is told when the handshake takes longer than the deadline', async () => {
    await using server = await tcpServer(() => undefined)
    const result = await post(`https://127.0.0.1:${server.port}`, { timeoutMs: 50 })
    expect(result).toMatchObject({ kind: 'not_sent', error: { name: 'TimeoutError' } })
  })
})

describe('over TLS', () => {
  const trusted = tls.getCACertificates('default')
  afterEach(() => tls.setDefaultCACertificates(trusted))

  async function tlsServer(certificate: { cert: string; key: string }) {
    const requests: string[] = []
    const server = createServer(certificate, (incoming, response) => {
      requests.push(incoming.url ?? '')
      response.end('secret answer')
    })
    server.on('tlsClientError', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      url: `https://127.0.0.1:${port}`,
      requests,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      },
    }
  }

  test('a certificate that nobody trusts is told as not sent, and the request never arrives', async () => {
    await using server = await tlsServer(certificateFor([]))
    expect(await post(server.url)).toMatchObject({
      kind: 'not_sent',
      error: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
    expect(server.requests).toEqual([])
  })

  test('a trusted certificate lets the request through', async () => {
    const certificate = certificateFor([])
    await using server = await tlsServer(certificate)
    tls.setDefaultCACertificates([...trusted, certificate.cert])
    expect(await post(`${server.url}/path`)).toMatchObject({ kind: 'response', status: 200 })
    expect(server.requests).toEqual(['/path'])
  })
})

describe('a request without a whole answer is lost', () => {
  test.each<[string, (socket: Socket) => void]>([
    [
      'the request is read and the connection closed',
      (socket) => onRequest(socket, () => socket.end()),
    ],
    [
      'the request is read and the connection reset',
      (socket) => onRequest(socket, () => socket.resetAndDestroy()),
    ],
    [
      'the answer breaks off in its head',
      (socket) => onRequest(socket, () => socket.end(`${HEAD}content-le`)),
    ],
    [
      'the answer breaks off in its body',
      (socket) => onRequest(socket, () => socket.end(`${HEAD}content-length: 100\r\n\r\n{"id"`)),
    ],
    [
      'the answer breaks off in a chunk',
      (socket) =>
        onRequest(socket, () => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"id`)),
    ],
    ['the answer is not HTTP', (socket) => onRequest(socket, () => socket.end('hello there\r\n'))],
    [
      'the answer has 100,000 headers',
      (socket) =>
        onRequest(socket, () => socket.end(`${HEAD}${'x-filler: 1\r\n'.repeat(100_000)}\r\n`)),
    ],
    [
      'the server changes the protocol',
      (socket) =>
        onRequest(socket, () =>
          socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        ),
    ],
    [
      'the answer is longer than allowed',
      (socket) =>
        onRequest(socket, () =>
          socket.write(`${HEAD}content-length: 50000000\r\n\r\n${'x'.repeat(2_000_000)}`),
        ),
    ],
  ])('when %s', async (_, onConnection) => {
    await using server = await tcpServer(onConnection)
    expect(await post(server.url)).toMatchObject({ kind: 'lost' })
  })

  test('when the connection is reset while the request is being written', async () => {
    await using server = await tcpServer((socket) =>
      onRequest(socket, () => socket.resetAndDestroy()),
    )
    const body = 'x'.repeat(20_000_000)
    expect(await post(server.url, { body })).toMatchObject({ kind: 'lost' })
  })

  test('when there is no answer within the deadline', async () => {
    await using server = await tcpServer(() => undefined)
    expect(await post(server.url, { timeoutMs: 50 })).toMatchObject({
      kind: 'lost',
      error: { name: 'TimeoutError' },
    })
  })

  test('when the caller stops waiting', async () => {
    const controller = new AbortController()
    await using server = await tcpServer((socket) =>
      onRequest(socket, () => controller.abort(new Error('stop'))),
    )
    expect(await post(server.url, { signal: controller.signal })).toMatchObject({
      kind: 'lost',
      error: { message: 'stop' },
    })
  })

  test('when the answer drips on for longer than the deadline', async () => {
    const drips = new Set<NodeJS.Timeout>()
    await using server = await tcpServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${HEAD}content-length: 100000\r\n\r\n`)
        drips.add(setInterval(() => socket.write('x'), 5))
      }),
    )
    expect(await post(server.url, { timeoutMs: 100 })).toMatchObject({
      kind: 'lost',
      error: { name: 'TimeoutError' },
    })
    for (const drip of drips) clearInterval(drip)
  })
})

describe('an answer', () => {
  test('comes with its status, lower-case headers and text', async () => {
    await using server = await scriptedServer(() => ({
      status: 418,
      headers: { 'X-Some': 'thing' },
      body: 'Grüße',
    }))
    expect(await post(server.url)).toMatchObject({
      kind: 'response',
      status: 418,
      headers: { 'x-some': 'thing' },
      text: 'Grüße',
    })
  })

  test('is to the request as it was given', async () => {
    await using server = await scriptedServer(() => ({ body: {} }))
    await post(`${server.url}/a%20b?c=d%26e`, { body: 'Grüße', headers: { 'x-one': '1' } })
    expect(server.received).toMatchObject([
      { method: 'POST', path: '/a%20b', query: { c: 'd&e' }, body: 'Grüße' },
    ])
    expect(server.received[0]!.headers).toMatchObject({
      'x-one': '1',
      connection: 'close',
      'content-length': '7',
      host: server.url.slice('http://'.length),
    })
  })

  test('that redirects is not followed', async () => {
    await using elsewhere = await scriptedServer(() => ({ body: {} }))
    await using server = await scriptedServer(() => ({
      status: 307,
      headers: { location: elsewhere.url },
      body: '',
    }))
    expect(await post(server.url)).toMatchObject({ kind: 'response', status: 307 })
    expect(elsewhere.received).toEqual([])
  })

  test('has a connection of its own for every call', async () => {
    let connections = 0
    await using server = await tcpServer((socket) => {
      connections++
      onRequest(socket, () => socket.write(`${HEAD}content-length: 2\r\n\r\n{}`))
    })
    for (let call = 0; call < 3; call++)
      expect(await post(server.url)).toMatchObject({ kind: 'response', text: '{}' })
    expect(connections).toBe(3)
  })

  test('may be as long as allowed', async () => {
    await using server = await scriptedServer(() => ({ body: 'x'.repeat(1000) }))
    expect(await post(server.url, { maxBytes: 1000 })).toMatchObject({ kind: 'response' })
    expect(await post(server.url, { maxBytes: 999 })).toMatchObject({ kind: 'lost' })
  })
})
