import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testS3 } from '@herald/testing/s3'
import { StorageUnavailable } from '../src/errors.ts'
import { createS3Storage } from '../src/s3-storage.ts'
import { send, sendAsTold } from './send.ts'

const found = await testS3()
const isMissing = typeof found === 'string'
const access = { accessKey: '', secretKey: '', region: '', bucket: 'none' }
const s3 = isMissing ? { endpoint: 'http://127.0.0.1:9', ...access } : found

afterAll(async () => {
  if (!isMissing) await found[Symbol.asyncDispose]()
})

const input = { contentType: 'image/png', contentLength: 4, expiresSeconds: 60 }

describe.skipIf(isMissing)(`on an S3 server${isMissing ? ` (${found})` : ''}`, () => {
  beforeAll(() => createS3Storage(s3).ensureBucket())

  test('a bucket is made once, also by many at a time', async () => {
    const bucket = `herald-${crypto.randomUUID()}`
    const storage = createS3Storage({ ...s3, bucket })
    expect(await storage.isReady()).toBe(false)
    await Promise.all(Array.from({ length: 5 }, () => storage.ensureBucket()))
    expect(await storage.isReady()).toBe(true)
  })

  test('with a wrong secret nothing works, and the error says why', async () => {
    const storage = createS3Storage({ ...s3, secretKey: 'wrong' })
    expect(await storage.isReady()).toBe(false)
    const putting = storage.put('wrong', Buffer.alloc(4), input)
    await expect(putting).rejects.toThrow(StorageUnavailable)
    await expect(putting).rejects.toThrow('SignatureDoesNotMatch')
    await expect(storage.get('wrong')).rejects.toThrow('SignatureDoesNotMatch')
  })

  test('a bucket that is not there is told as unavailable, not as a missing object', async () => {
    const storage = createS3Storage({ ...s3, bucket: 'herald-there-is-no-such' })
    await expect(storage.get('a')).rejects.toThrow('NoSuchBucket')
    await expect(storage.put('a', Buffer.alloc(4), input)).rejects.toThrow('NoSuchBucket')
  })

  test('presigned addresses name the public endpoint, and everything else uses the internal one', async () => {
    const publicEndpoint = s3.endpoint.replace('127.0.0.1', 'localhost')
    const storage = createS3Storage({ ...s3, publicEndpoint })
    const key = `public/${crypto.randomUUID()}`
    const put = await storage.presignPut({ key, ...input })
    expect(new URL(put.url).origin).toBe(publicEndpoint)
    expect(await sendAsTold(put, Buffer.from('1234'))).toMatchObject({ status: 200 })
    expect(await text(await storage.get(key))).toBe('1234')
    const inside = put.url.replace(publicEndpoint, s3.endpoint)
    expect(await send(inside, Buffer.from('1234'), { headers: put.headers })).toMatchObject({
      status: 403,
    })
  })

  test('without If-None-Match a second PUT replaces the first', async () => {
    const storage = createS3Storage({ ...s3, ifNoneMatch: false })
    const key = `replaced/${crypto.randomUUID()}`
    const put = await storage.presignPut({ key, ...input })
    expect(await sendAsTold(put, Buffer.from('1234'))).toMatchObject({ status: 200 })
    expect(await sendAsTold(put, Buffer.from('5678'))).toMatchObject({ status: 200 })
    expect(await text(await storage.get(key))).toBe('5678')
  })
})
