import { eventually } from '@herald/testing/eventually'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import * as tls from 'node:tls'
import { afterEach, expect, test, vi } from 'vitest'
import { certificateFor } from '@herald/testing/certificate'
import { isTestPublic, outcome } from './outcome.ts'
import { tcpServer } from './tcp-server.ts'

const trusted = tls.getCACertificates('default')
afterEach(() => {
  tls.setDefaultCACertificates(trusted)
  vi.unstubAllEnvs()
})

function trust(...certificates: { cert: string }[]): void {
  tls.setDefaultCACertificates([...trusted, ...certificates.map(({ cert }) => cert)])
}

/** A public server, which `files.example` resolves to, and what it was asked. */
async function tlsServer(certificate: { cert: string; key: string }, location?: string) {
  const requests: string[] = []
  const server = createServer(
    { ...certificate, ALPNProtocols: ['h2', 'http/1.1'] },
    (incoming, response) => {
      const { servername, alpnProtocol } = incoming.socket as tls.TLSSocket & {
        servername: string | false
      }
      requests.push(
        `${String(alpnProtocol)} ${String(servername)} ${incoming.headers.host} ${incoming.url}`,
      )
      if (location) response.writeHead(302, { location })
      response.end('file')
    },
  )
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  return {
    port,
    requests,
    options: { ports: [port], isAllowedAddress: isTestPublic, resolve },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a file comes over TLS from a host with a good certificate, which is told the name it is asked as', async () => {
  const certificate = certificateFor(['files.example'])
  trust(certificate)
  await using server = await tlsServer(certificate)
  const url = `https://files.example:${server.port}/a`
  expect(await outcome(url, server.options)).toEqual({ file: 'file' })
  expect(server.requests).toEqual([`http/1.1 files.example files.example:${server.port} /a`])
})

test('a name with a final dot is asked as without', async () => {
  const certificate = certificateFor(['files.example'])
  trust(certificate)
  await using server = await tlsServer(certificate)
  const url = `https://files.example.:${server.port}/a`
  expect(await outcome(url, server.options)).toEqual({ file: 'file' })
  expect(server.requests).toEqual([`http/1.1 files.example files.example:${server.port} /a`])
})

test('an IP address is checked against the addresses of the certificate', async () => {
  const certificate = certificateFor([])
  trust(certificate)
  await using server = await tlsServer(certificate)
  const url = `https://127.0.0.1:${server.port}/a`
  expect(await outcome(url, server.options)).toEqual({ file: 'file' })
  expect(server.requests).toEqual([`http/1.1 false 127.0.0.1:${server.port} /a`])
})

const good = certificateFor(['files.example'])
const expired = certificateFor(['files.example'], { until: '20240101000000Z' })
const other = certificateFor(['other.example'])

test.each([
  ['that nobody vouches for', good, []],
  ['that is expired', expired, [expired]],
  ['that is for another host', other, [other]],
  ['that is for a host below', certificateFor(['a.files.example']), []],
])(
  '183 a certificate %s is refused, and the request is not sent',
  async (_, certificate, trusts) => {
    trust(...trusts)
    await using server = await tlsServer(certificate)
    const url = `https://files.example:${server.port}/secret`
    expect(await outcome(url, server.options)).toEqual({ refused: 'tls_failed' })
    expect(server.requests).toEqual([])
  },
)

test('183 a bad certificate is refused also where the environment says to accept it', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  await using server = await tlsServer(good)
  const url = `https://files.example:${server.port}/`
  expect(await outcome(url, server.options)).toEqual({ refused: 'tls_failed' })
  expect(server.requests).toEqual([])
})

test('169 a redirect from https to http is refused', async () => {
  trust(good)
  await using plain = await tcpServer(() => undefined, { host: '127.0.0.1' })
  await using server = await tlsServer(good, `http://files.example:${plain.port}/`)
  const options = { ...server.options, ports: [server.port, plain.port] }
  const url = `https://files.example:${server.port}/`
  expect(await outcome(url, options)).toEqual({ refused: 'redirect_to_http' })
  expect(plain.seen.connections).toBe(0)
})

test('a redirect from http to https is followed', async () => {
  trust(good)
  await using server = await tlsServer(good)
  await using plain = await tcpServer(
    (socket) =>
      socket.end(`HTTP/1.1 301 x\r\nlocation: https://files.example:${server.port}/b\r\n\r\n`),
    { host: '127.0.0.1' },
  )
  const options = { ...server.options, ports: [server.port, plain.port] }
  expect(await outcome(`http://files.example:${plain.port}/`, options)).toEqual({ file: 'file' })
})

test.each([
  ['is never done', 'connect_deadline', undefined],
  ['is answered by something else', 'tls_failed', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('a handshake that %s is refused', async (_, refused, answer) => {
  await using server = await tcpServer(
    (socket) => socket.once('data', () => answer && socket.end(answer)),
    { host: '127.0.0.1' },
  )
  const options = {
    ports: [server.port],
    isAllowedAddress: isTestPublic,
    timings: { connectMs: answer ? 5_000 : 100 },
  }
  expect(await outcome(`https://127.0.0.1:${server.port}/secret`, options)).toEqual({ refused })
  await eventually(() => expect(server.open()).toBe(0))
  expect(server.seen.received).not.toContain('secret')
})
