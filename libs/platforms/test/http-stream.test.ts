import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { request, type StreamedBody } from '../src/http.ts'
import { closedPort, scriptedServer } from './scripted-server.ts'
import { tcpServer } from './tcp-server.ts'

const MB = 1_000_000

/** A body that tells how much of it was read, and whether reading it was ended. */
function trackedBody(chunkCount: number, { failAfter = Infinity, length = chunkCount * MB } = {}) {
  const seen = { bytes: 0, isEnded: false }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let index = 0; index < chunkCount; index++) {
        if (index >= failAfter) throw new Error('The file is gone.')
        seen.bytes += MB
        yield Buffer.alloc(MB, index)
      }
    } finally {
      seen.isEnded = true
    }
  }
  const body: StreamedBody = { length, chunks: chunks() }
  return { body, seen }
}

function post(url: string, body: StreamedBody, timeoutMs = 20_000) {
  return request({ method: 'POST', url, body, timeoutMs })
}

test('a body of 200 MB is read only as fast as it is sent, and arrives whole', async () => {
  const { body, seen } = trackedBody(200)
  let received = 0
  let mostAhead = 0
  const server = createServer((incoming, response) => {
    expect(incoming.headers).toMatchObject({ 'content-length': String(200 * MB) })
    expect(incoming.headers['transfer-encoding']).toBeUndefined()
    incoming.on('data', (chunk: Buffer) => {
      received += chunk.length
      mostAhead = Math.max(mostAhead, seen.bytes - received)
    })
    incoming.on('end', () => response.end('{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const result = await post(`http://127.0.0.1:${port}`, body)
  server.close()
  expect(result).toMatchObject({ kind: 'response', status: 200 })
  expect(received).toBe(200 * MB)
  expect(mostAhead).toBeLessThan(30 * MB)
})

test('a body is not read when there is no connection', async () => {
  const { body, seen } = trackedBody(1)
  expect(await post(await closedPort(), body)).toMatchObject({ kind: 'not_sent' })
  expect(seen.bytes).toBe(0)
})

test('a connection that is cut off half way is lost, and ends the reading', async () => {
  const { body, seen } = trackedBody(200)
  await using server = await tcpServer((socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  )
  expect(await post(server.url, body)).toMatchObject({ kind: 'lost' })
  await eventually(() => expect(seen.isEnded).toBe(true))
  expect(seen.bytes).toBeLessThan(200 * MB)
})

test('a body that fails while it is read is lost with its own failure, and cuts the request off', async () => {
  const { body } = trackedBody(3, { failAfter: 2 })
  let isWhole = false
  const server = createServer((incoming) => {
    incoming.on('data', () => undefined)
    incoming.on('end', () => (isWhole = incoming.complete))
    incoming.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(await post(`http://127.0.0.1:${port}`, body)).toMatchObject({
    kind: 'lost',
    error: { message: 'The file is gone.' },
  })
  server.close()
  await once(server, 'close')
  expect(isWhole).toBe(false)
})

test.each([
  ['shorter', 2 * MB + 1],
  ['longer', 2 * MB - 1],
])('a body that is %s than it says is lost', async (_, length) => {
  await using server = await scriptedServer(() => ({ body: {} }))
  expect(await post(server.url, trackedBody(2, { length }).body)).toMatchObject({
    kind: 'lost',
    error: { message: `The body is not the ${length} bytes that were announced.` },
  })
})

test('an answer before the end of the body counts, and ends the reading', async () => {
  const { body, seen } = trackedBody(200)
  await using server = await tcpServer((socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\n{}'),
    ),
  )
  expect(await post(server.url, body)).toMatchObject({ kind: 'response', status: 413, text: '{}' })
  await eventually(() => expect(seen.isEnded).toBe(true))
  expect(seen.bytes).toBeLessThan(200 * MB)
})

test('a server that stops reading is given up at the deadline', async () => {
  const { body, seen } = trackedBody(200)
  await using server = await tcpServer((socket) => socket.pause())
  expect(await post(server.url, body, 200)).toMatchObject({
    kind: 'lost',
    error: { name: 'TimeoutError' },
  })
  await eventually(() => expect(seen.isEnded).toBe(true))
  expect(seen.bytes).toBeLessThan(200 * MB)
})
