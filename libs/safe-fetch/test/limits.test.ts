import { eventually } from '@herald/testing/eventually'
import type { Socket } from 'node:net'
import { setImmediate as immediate } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { download } from '../src/download.ts'
import { outcome } from './outcome.ts'
import { OK, pour, serving } from './public-server.ts'

const KB = 'x'.repeat(1_024)

describe('too much is refused', () => {
  test.each([
    ['174 without a length, endless', `${OK}\r\n`],
    ['175 without a length and in chunks, endless', `${OK}transfer-encoding: chunked\r\n\r\n`],
  ])('%s', async (_, head) => {
    const text = head.includes('chunked') ? `400\r\n${KB}\r\n` : KB
    await using server = await serving((socket) => {
      socket.write(head)
      pour(socket, text)
    })
    let read = 0
    const { body } = await download(server.url, server.options)
    const whole = (async () => {
      for await (const chunk of body) read += (chunk as Buffer).length
    })()
    await expect(whole).rejects.toMatchObject({ name: 'DownloadRefused', reason: 'too_large' })
    expect(read).toBeLessThanOrEqual(100_000)
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('one byte without a length', async () => {
    const bytes = 'x'.repeat(100_001)
    await using server = await serving((socket) => socket.end(`${OK}\r\n${bytes}`))
    expect(await outcome(server.url, server.options)).toEqual({ refused: 'too_large' })
  })

  test('177 before a byte of the file is read, when the length says it', async () => {
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 100001\r\n\r\n0123456789`),
    )
    await expect(download(server.url, server.options)).rejects.toMatchObject({
      reason: 'too_large',
    })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test.each(['99999999999999999999', '1e3', '-1', '0x10', '5, 6'])(
    'a length of %s',
    async (length) => {
      await using server = await serving((socket) =>
        socket.end(`${OK}content-length: ${length}\r\n\r\nbytes`),
      )
      expect(await outcome(server.url, server.options)).toHaveProperty('refused')
    },
  )
})

describe('a length that is not true', () => {
  test('176 ends the file where it said, and nothing more is read', async () => {
    await using server = await serving((socket) => {
      socket.write(`${OK}content-length: 10\r\n\r\n`)
      pour(socket, KB)
    })
    expect(await outcome(server.url, server.options)).toEqual({ file: 'x'.repeat(10) })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('176 ends the file where it said also when all comes at once', async () => {
    await using server = await serving((socket) =>
      socket.end(`${OK}content-length: 10\r\n\r\n${KB}`),
    )
    expect(await outcome(server.url, server.options)).toEqual({ file: 'x'.repeat(10) })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('refuses a file whose server %s in the middle of it', async (_, stop) => {
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 11\r\n\r\nbytes`, () => stop(socket)),
    )
    expect(await outcome(server.url, server.options)).toEqual({ refused: 'cut_off' })
  })

  test.each([
    ['breaks off', '400\r\nbytes'],
    ['has no last chunk', '5\r\nbytes\r\n'],
    ['is no chunk', 'bytes\r\n'],
  ])('refuses a file in chunks that %s', async (_, body) => {
    await using server = await serving((socket) =>
      socket.end(`${OK}transfer-encoding: chunked\r\n\r\n${body}`),
    )
    expect(await outcome(server.url, server.options)).toEqual({ refused: 'cut_off' })
  })

  test('keeps its error for whoever reads later', async () => {
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 11\r\n\r\nbytes`, () => socket.resetAndDestroy()),
    )
    const { body } = await download(server.url, server.options)
    await eventually(() => expect(body.destroyed).toBe(true))
    await immediate()
    await expect(buffer(body)).rejects.toMatchObject({
      reason: 'cut_off',
      cause: { code: 'ECONNRESET' },
    })
  })
})
