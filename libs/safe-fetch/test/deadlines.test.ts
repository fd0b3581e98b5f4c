import { eventually } from '@herald/testing/eventually'
import type { Socket } from 'node:net'
import { setImmediate as immediate } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { download } from '../src/download.ts'
import { fullServer } from './full-server.ts'
import { countConnections, isTestPublic, outcome } from './outcome.ts'
import { OK, serving } from './public-server.ts'

/** Writes a head, and then one byte again and again. */
function dripping(head: string) {
  return serving((socket) => {
    socket.write(head)
    const drip = setInterval(() => socket.write('x'), 2)
    socket.on('close', () => clearInterval(drip))
  })
}

describe('too slow is refused', () => {
  test.each([
    ['177 a file that hangs', `${OK}content-length: 1000\r\n\r\n0123456789`],
    ['a file without a byte', `${OK}content-length: 1000\r\n\r\n`],
  ])('%s', async (_, answer) => {
    await using server = await serving((socket) => socket.write(answer))
    const options = { ...server.options, timings: { rateWindowMs: 30 } }
    expect(await outcome(server.url, options)).toEqual({ refused: 'too_slow' })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('178 a file that comes byte by byte', async () => {
    await using server = await dripping(`${OK}content-length: 10000\r\n\r\n`)
    const options = { ...server.options, timings: { rateWindowMs: 50 } }
    expect(await outcome(server.url, options)).toEqual({ refused: 'too_slow' })
  })

  test.each([
    ['178 a file that is not done in time', `${OK}content-length: 10000\r\n\r\n`],
    ['178 a head that is not done in time', `${OK}a: `],
  ])('%s', async (_, head) => {
    await using server = await dripping(head)
    const options = { ...server.options, timings: { totalMs: 100, minBytesPerSecond: 1 } }
    expect(await outcome(server.url, options)).toEqual({ refused: 'total_deadline' })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('an answer that does not come in time', async () => {
    await using server = await serving(() => undefined)
    const options = { ...server.options, timings: { totalMs: 100 } }
    expect(await outcome(server.url, options)).toEqual({ refused: 'total_deadline' })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('a file that nobody reads in time, with its connection closed', async () => {
    await using server = await dripping(`${OK}content-length: 10000\r\n\r\n`)
    const timings = { totalMs: 1_000 }
    const { body } = await download(server.url, { ...server.options, timings })
    await eventually(() => expect(server.open()).toBe(0))
    expect(body.errored).toMatchObject({ reason: 'total_deadline' })
  })
})

describe('a host that neither takes nor refuses a connection', () => {
  test('is given up after the deadline, and the attempt with it', async () => {
    await using server = await fullServer()
    using counter = countConnections()
    const url = `http://127.0.0.1:${server.port}/`
    const timings = { connectMs: 100 }
    const options = { ports: [server.port], isAllowedAddress: isTestPublic, timings }
    expect(await outcome(url, options)).toEqual({ refused: 'connect_deadline' })
    expect(counter.sockets.map((socket) => socket.destroyed)).toEqual([true])
  })

  test('has no more time for all of its addresses together', async () => {
    await using server = await fullServer()
    const resolve = async () => Array(4).fill({ address: '127.0.0.1', family: 4 })
    const timings = { connectMs: 1_000, totalMs: 3_000 }
    const options = { ports: [server.port], isAllowedAddress: isTestPublic, timings, resolve }
    const url = `http://files.example:${server.port}/`
    expect(await outcome(url, options)).toEqual({ refused: 'connect_deadline' })
  })
})

describe('the rate of a file', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => vi.useRealTimers())

  /** A file of 1,000,000 bytes that comes as the test says. */
  async function million(beginning: string) {
    let socket: Socket | undefined
    const server = await serving((connection) => {
      socket = connection
      connection.write(`${OK}content-length: 1000000\r\n\r\n${beginning}`)
    })
    const timings = { rateWindowMs: 1_000, minBytesPerSecond: 1_000 }
    const { body } = await download(server.url, { ...server.options, maxBytes: 1_000_000, timings })
    return { ...server, body, write: (text: string) => socket?.write(text) }
  }

  test('is that of each window of time, not that of the whole file', async () => {
    await using file = await million('x'.repeat(50_000))
    let read = 0
    file.body.on('data', (chunk: Buffer) => (read += chunk.length))
    await eventually(() => expect(read).toBe(50_000))
    vi.advanceTimersByTime(1_000)
    file.write('x'.repeat(1_000))
    await eventually(() => expect(read).toBe(51_000))
    vi.advanceTimersByTime(1_000)
    expect(file.body.errored).toBe(null)
    file.write('x'.repeat(999))
    await eventually(() => expect(read).toBe(51_999))
    vi.advanceTimersByTime(1_000)
    expect(file.body.errored).toMatchObject({ reason: 'too_slow' })
  })

  test('is not held against a sender who waits for the reader', async () => {
    await using file = await million('x'.repeat(1_000_000))
    file.body.read(0)
    await eventually(() => expect(file.body.readableLength).toBeGreaterThan(65_535))
    for (let turn = 0; turn < 20; turn++) await immediate()
    expect(file.body.readableLength).toBeLessThan(500_000)
    vi.advanceTimersByTime(60_000)
    expect((await buffer(file.body)).length).toBe(1_000_000)
  })

  test('is no matter once the file is whole', async () => {
    await using server = await serving((socket) => socket.end(`${OK}\r\nbytes`))
    const { body } = await download(server.url, server.options)
    body.read(0)
    await eventually(() => expect(server.open()).toBe(0))
    vi.advanceTimersByTime(60_000)
    expect((await buffer(body)).toString()).toBe('bytes')
  })

  test('is not watched any longer when the file is given up', async () => {
    await using file = await million('bytes')
    file.body.read(0)
    expect(vi.getTimerCount()).toBe(1)
    file.body.destroy()
    expect(vi.getTimerCount()).toBe(0)
  })
})
