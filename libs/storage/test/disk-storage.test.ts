import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { eventually } from '@herald/testing/eventually'
import { StorageUnavailable } from '../src/errors.ts'
import { presign, presignPut } from '../src/presign.ts'
import type { PresignedPut } from '../src/storage.ts'
import { testDisk } from './disk.ts'
import { send, sendAsTold } from './send.ts'

const body = Buffer.from('0123456789')
const input = { contentType: 'image/png', contentLength: body.length, expiresSeconds: 900 }
const newKey = () => `staging/${randomUUID()}`
const temporaryFiles = (folder: string) => readdirSync(join(folder, 'temporary'))

describe('the folder', () => {
  test('an object is a file at its key, and nothing else is left', async () => {
    await using disk = await testDisk()
    await disk.open().put('staging/a.png', body, input)
    expect(readdirSync(join(disk.folder, 'objects', 'staging'))).toEqual(['a.png'])
    expect(temporaryFiles(disk.folder)).toEqual([])
  })

  test('objects are there again when the folder is opened again', async () => {
    await using disk = await testDisk()
    await disk.open().put('a', body, input)
    expect(await text(await disk.open().get('a'))).toBe('0123456789')
  })

  test('opening it removes what a crash left half written, and not what is being written', async () => {
    await using disk = await testDisk()
    const [old, young] = ['old', 'young'].map((name) => join(disk.folder, 'temporary', name))
    for (const file of [old!, young!]) writeFileSync(file, 'half')
    utimesSync(old!, new Date(0), new Date(0))
    disk.open()
    expect(temporaryFiles(disk.folder)).toEqual(['young'])
  })

  test('a reader keeps what it opened, also when it is replaced or removed', async () => {
    await using disk = await testDisk()
    const storage = disk.open()
    const big = Buffer.alloc(2_000_000, 'a')
    await storage.put('a', big, { ...input, contentLength: big.length })
    const [first, second] = [await storage.get('a'), await storage.get('a')]
    await storage.put('a', body, input)
    expect((await buffer(first)).equals(big)).toBe(true)
    await storage.delete('a')
    expect((await buffer(second)).equals(big)).toBe(true)
  })

  test('files that are no objects are not listed', async () => {
    await using disk = await testDisk()
    writeFileSync(join(disk.folder, 'objects', 'READ ME'), 'x')
    for await (const object of disk.open().list('')) expect(object).toBeUndefined()
  })

  test('a list is in the order of keys', async () => {
    await using disk = await testDisk()
    const storage = disk.open()
    for (const key of ['a/x', 'a-b', 'a0', 'a.b', 'a/b/c']) await storage.put(key, body, input)
    const keys: string[] = []
    for await (const { key } of storage.list('a')) keys.push(key)
    expect(keys).toEqual(['a-b', 'a.b', 'a/b/c', 'a/x', 'a0'])
  })

  test('a folder that cannot be written is told as unavailable', async () => {
    await using disk = await testDisk()
    const storage = disk.open()
    rmSync(join(disk.folder, 'temporary'), { recursive: true })
    const source = Readable.from([body])
    await expect(storage.put('a', source, input)).rejects.toThrow(StorageUnavailable)
    expect(source.destroyed).toBe(true)
    expect(await storage.isReady()).toBe(false)
  })

  test('an object where a key needs a folder is told as unavailable, and stays', async () => {
    await using disk = await testDisk()
    const storage = disk.open()
    await storage.put('a', body, input)
    await expect(storage.put('a/b', body, input)).rejects.toThrow(StorageUnavailable)
    expect(await storage.head('a/b')).toBeUndefined()
    expect(await text(await storage.get('a'))).toBe('0123456789')
  })
})

describe('the answers to uploads', () => {
  const headers = (change: Record<string, string>) => (put: PresignedPut) => ({
    headers: { ...put.headers, ...change },
  })
  const path = (change: (path: string) => string) => (put: PresignedPut) => {
    const { pathname, search } = new URL(put.url)
    return { headers: put.headers, path: change(`${pathname}${search}`) }
  }
  test.each([
    {
      what: 'another type',
      sent: headers({ 'Content-Type': 'text/html' }),
      answer: '403 SignatureDoesNotMatch',
    },
    {
      what: 'another length',
      sent: headers({ 'Content-Length': '11' }),
      answer: '403 SignatureDoesNotMatch',
    },
    {
      what: 'a header that is not signed',
      sent: headers({ 'x-amz-acl': 'public-read' }),
      answer: '403 AccessDenied',
    },
    {
      what: 'another access key',
      sent: path((text) => text.replace('herald%2F', 'other%2F')),
      answer: '403 InvalidAccessKeyId',
    },
    {
      what: 'no signature',
      sent: path((text) => text.replace(/\?.*/, '')),
      answer: '403 AccessDenied',
    },
    {
      what: 'another bucket',
      sent: path((text) => text.replace('/media/', '/other/')),
      answer: '404 NoSuchBucket',
    },
    {
      what: 'another path',
      sent: path((text) => text.replace('/uploads/', '/elsewhere/')),
      answer: '404 NoSuchBucket',
    },
    {
      what: '../',
      sent: path((text) => text.replace('/media/', '/media/../')),
      answer: '400 InvalidURI',
    },
    {
      what: 'no length',
      sent: (put: PresignedPut) => ({ headers: { 'Content-Type': put.headers['Content-Type']! } }),
      answer: '411 MissingContentLength',
    },
    {
      what: 'GET',
      sent: (put: PresignedPut) => ({ headers: put.headers, method: 'GET' }),
      answer: '405 MethodNotAllowed',
    },
    {
      what: 'OPTIONS',
      sent: () => ({ method: 'OPTIONS', headers: { 'Content-Length': '10' } }),
      answer: '405 MethodNotAllowed',
    },
  ])('$what is answered $answer', async ({ sent, answer }) => {
    await using disk = await testDisk()
    const put = await disk.open().presignPut({ key: newKey(), ...input })
    const long = Buffer.from('0123456789a')
    const given = sent(put)
    const length = new Headers(given.headers).get('Content-Length') ?? '10'
    const { status, code } = await send(put.url, long.subarray(0, Number(length)), given)
    expect(`${status} ${code}`).toBe(answer)
    expect(temporaryFiles(disk.folder)).toEqual([])
    expect(disk.errors).toEqual([])
  })

  test('an address whose signature leaves out the length is refused although it is true', async () => {
    await using disk = await testDisk()
    const { endpoint, bucket, credentials } = disk.signing
    const url = presign(
      'PUT',
      new URL(`${endpoint}${bucket}/a`),
      { headers: { 'content-type': 'a/b' }, expiresSeconds: 9 },
      credentials,
    )
    const answer = await send(url, body, {
      headers: { 'Content-Type': 'a/b', 'Content-Length': '10' },
    })
    expect(answer).toEqual({ status: 403, code: 'SignatureDoesNotMatch' })
  })

  test('a client that sends a large body gets to read why it was refused', async () => {
    await using disk = await testDisk()
    const { endpoint, bucket, credentials } = disk.signing
    const size = 20_000_000
    const put = presignPut(
      endpoint,
      bucket,
      { key: 'a', ...input, contentLength: size },
      { credentials, ifNoneMatch: true, now: new Date(Date.now() - 901_000) },
    )
    expect(await sendAsTold(put, Buffer.alloc(size))).toEqual({ status: 403, code: 'AccessDenied' })
  })

  test('without If-None-Match a second PUT replaces the first', async () => {
    await using disk = await testDisk()
    const storage = disk.open({ ifNoneMatch: false })
    const put = await storage.presignPut({ key: 'a', ...input })
    expect(await sendAsTold(put, body)).toMatchObject({ status: 200 })
    expect(await sendAsTold(put, Buffer.from('9876543210'))).toMatchObject({ status: 200 })
    expect(await text(await storage.get('a'))).toBe('9876543210')
  })

  test('a folder that fails is answered 500 and told to the operator, not to the client', async () => {
    await using disk = await testDisk()
    const put = await disk.open().presignPut({ key: 'a', ...input })
    rmSync(join(disk.folder, 'temporary'), { recursive: true })
    expect(await sendAsTold(put, body)).toEqual({ status: 500, code: 'InternalError' })
    expect(disk.errors).toEqual([expect.any(StorageUnavailable)])
    mkdirSync(join(disk.folder, 'temporary'))
    expect(await sendAsTold(put, body)).toEqual({ status: 200, code: '' })
  })
})

test('a folder that fails in the middle of a large body lets the client finish and read why', async () => {
  await using disk = await testDisk()
  const size = 20_000_000
  const { url, headers } = await disk.open().presignPut({ key: 'a', ...input, contentLength: size })
  rmSync(join(disk.folder, 'temporary'), { recursive: true })
  const outgoing = request(url, { method: 'PUT', headers })
  const finished = once(outgoing, 'finish')
  outgoing.end(Buffer.alloc(size))
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(500)
  await finished
})

describe('clients that do not finish', () => {
  /** Sends half of a body and leaves the connection open. */
  function sendHalf(disk: { port: number }, { url, headers }: PresignedPut) {
    const { pathname, search, host } = new URL(url)
    const socket = connect(disk.port, '127.0.0.1')
    const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}`)
    socket.on('error', () => {})
    socket.resume()
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n01234`)
    return socket
  }

  test('a client that goes away leaves no file behind', async () => {
    await using disk = await testDisk()
    const put = await disk.open().presignPut({ key: 'a', ...input })
    const socket = sendHalf(disk, put)
    await eventually(() => expect(temporaryFiles(disk.folder)).toHaveLength(1))
    socket.destroy()
    await eventually(() => expect(temporaryFiles(disk.folder)).toEqual([]))
    expect(existsSync(join(disk.folder, 'objects', 'a'))).toBe(false)
    expect(await sendAsTold(put, body)).toMatchObject({ status: 200 })
    expect(disk.errors).toEqual([])
  })

  test('a client that stops sending is cut off and leaves no file behind', async () => {
    await using disk = await testDisk()
    disk.served.storage = disk.open({ deadlines: { idleMs: 100 } })
    const socket = sendHalf(disk, await disk.open().presignPut({ key: 'a', ...input }))
    await eventually(() => expect(socket.closed).toBe(true))
    await eventually(() => expect(temporaryFiles(disk.folder)).toEqual([]))
    expect(existsSync(join(disk.folder, 'objects', 'a'))).toBe(false)
  })

  test('a client that was refused and neither sends nor goes away is cut off', async () => {
    await using disk = await testDisk()
    disk.served.storage = disk.open({ deadlines: { idleMs: 100 } })
    const put = await disk.open().presignPut({ key: 'a', ...input })
    const socket = sendHalf(disk, { ...put, headers: { ...put.headers, 'x-amz-acl': 'a' } })
    await eventually(() => expect(socket.closed).toBe(true))
    expect(disk.errors).toEqual([])
  })
})
