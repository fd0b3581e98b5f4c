import { eventually } from '@herald/testing/eventually'
import { getEventListeners } from 'node:events'
import { setImmediate as immediate } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { download, type DownloadOptions } from '../src/download.ts'
import { countConnections, isTestPublic, outcome } from './outcome.ts'
import { OK, serving } from './public-server.ts'

describe('a caller who stops', () => {
  function abortable(): { stop: AbortController; with: Partial<DownloadOptions> } {
    const stop = new AbortController()
    return { stop, with: { signal: stop.signal } }
  }

  test('before the call connects to nobody', async () => {
    await using server = await serving((socket) => socket.end(`${OK}\r\n`))
    const signal = AbortSignal.abort()
    using counter = countConnections()
    expect(await outcome(server.url, { ...server.options, signal })).toEqual({ refused: 'aborted' })
    expect(counter.connections).toBe(0)
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

  test('while a connection is made makes no other', async () => {
    const { stop, with: signal } = abortable()
    using counter = countConnections(() => stop.abort())
    const resolve = async () => Array(4).fill({ address: '127.0.0.1', family: 4 })
    const options = { ...signal, resolve, isAllowedAddress: isTestPublic }
    expect(await outcome('http://files.example/', options)).toEqual({ refused: 'aborted' })
    expect(counter.connections).toBe(1)
    expect(counter.sockets[0]?.destroyed).toBe(true)
  })

  test('gets no file that came but was not read yet', async () => {
    const { stop, with: signal } = abortable()
    await using server = await serving((socket) => socket.end(`${OK}\r\nbytes`))
    const { body } = await download(server.url, { ...server.options, ...signal })
    await eventually(() => expect(server.open()).toBe(0))
    stop.abort()
    await expect(buffer(body)).rejects.toMatchObject({ reason: 'aborted' })
  })

  test('is forgotten when the download is over, whatever its end', async () => {
    const { stop, with: signal } = abortable()
    await using server = await serving((socket) => socket.end(`${OK}\r\nbytes`))
    const resolve = () => Promise.reject(new Error('no such name'))
    for (const url of [server.url, 'http://missing.example/', 'http://10.0.0.1/'])
      await outcome(url, { ...server.options, ...signal, ports: [80, server.port], resolve })
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
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
