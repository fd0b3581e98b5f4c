import { eventually } from '@herald/testing/eventually'
import { setImmediate as immediate } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { download, type DownloadOptions } from '../src/download.ts'
import { outcome } from './outcome.ts'
import { OK, serving } from './public-server.ts'

describe('a caller who stops', () => {
  function abortable(): { stop: AbortController; with: Partial<DownloadOptions> } {
    const stop = new AbortController()
    return { stop, with: { signal: stop.signal } }
  }

  test('before the call connects to nobody', async () => {
    await using server = await serving((socket) => socket.end(`${OK}\r\n`))
    const signal = AbortSignal.abort()
    expect(await outcome(server.url, { ...server.options, signal })).toEqual({ refused: 'aborted' })
    expect(server.seen.connections).toBe(0)
  })

  test('188 while the answer is awaited closes the connection', async () => {
    const { stop, with: signal } = abortable()
    await using server = await serving(() => stop.abort(new Error('gone')))
    expect(await outcome(server.url, { ...server.options, ...signal })).toEqual({
      refused: 'aborted',
    })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('188 in the middle of the file closes the connection', async () => {
    const { stop, with: signal } = abortable()
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 10\r\n\r\nbytes`),
    )
    const { body } = await download(server.url, { ...server.options, ...signal })
    const cause = new Error('gone')
    body.once('data', () => stop.abort(cause))
    await expect(buffer(body)).rejects.toMatchObject({ reason: 'aborted', cause })
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('188 by destroying the body closes the connection', async () => {
    await using server = await serving((socket) =>
      socket.write(`${OK}content-length: 10\r\n\r\nbytes`),
    )
    const { body } = await download(server.url, server.options)
    body.destroy()
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('during the name look-up is not kept waiting', async () => {
    const { stop, with: signal } = abortable()
    const resolve = () => {
      stop.abort()
      return new Promise<never>(() => undefined)
    }
    const found = await outcome('http://files.example/', { ...signal, resolve })
    expect(found).toEqual({ refused: 'aborted' })
  })

  test('after the file was read changes nothing', async () => {
    const { stop, with: signal } = abortable()
    await using server = await serving((socket) =>
      socket.end(`${OK}content-length: 5\r\n\r\nbytes`),
    )
    const { body } = await download(server.url, { ...server.options, ...signal })
    await buffer(body)
    stop.abort()
    await immediate()
    expect(body.errored).toBe(null)
  })
})
