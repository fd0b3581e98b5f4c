import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { presignPut, type Credentials } from '../src/presign.ts'
import type { PresignedPut, Storage } from '../src/storage.ts'
import { collect } from './collect.ts'
import { send, sendAsTold, type Sent } from './send.ts'

type World = { storage: Storage; endpoint: string; bucket: string; credentials: Credentials }

const body = Buffer.from('0123456789')
const input = { contentType: 'image/png', contentLength: body.length, expiresSeconds: 900 }

/** What every object storage guarantees to and against those who have a presigned address. */
export function uploadContract({ storage, endpoint, bucket, credentials }: World): void {
  // A bucket may be shared with another run.
  const base = `uploads-${randomUUID()}`
  const newKey = () => `${base}/${randomUUID()}`
  const keys = async () => (await collect(storage.list(base))).map(({ key }) => key)
  const signed = (key: string) => storage.presignPut({ key, ...input })
  const text = async (key: string) => (await buffer(await storage.get(key))).toString()

  describe('presigned addresses', () => {
    test('what is sent as told is stored', async () => {
      const key = newKey()
      expect(await sendAsTold(await signed(key), body)).toEqual({ status: 200, code: '' })
      expect(await text(key)).toBe('0123456789')
    })

    test('an empty object can be sent', async () => {
      const key = newKey()
      const put = await storage.presignPut({ key, ...input, contentLength: 0 })
      expect(await sendAsTold(put, Buffer.alloc(0))).toMatchObject({ status: 200 })
      expect(await storage.head(key)).toMatchObject({ sizeBytes: 0 })
    })

    test('the address tells when it expires', async () => {
      const { expiresAt } = await signed(newKey())
      const left = Date.parse(expiresAt) - Date.now()
      expect(left).toBeGreaterThan(880_000)
      expect(left).toBeLessThanOrEqual(900_000)
    })

    test('a second PUT is refused, and what the first sent stays', async () => {
      const key = newKey()
      const put = await signed(key)
      await sendAsTold(put, body)
      const second = await sendAsTold(put, Buffer.from('9876543210'))
      expect(second).toEqual({ status: 412, code: 'PreconditionFailed' })
      expect(await text(key)).toBe('0123456789')
    })

    test('of many PUTs at once exactly one is stored', async () => {
      const key = newKey()
      const size = 200_000
      const put = await storage.presignPut({ key, ...input, contentLength: size })
      const answers = await Promise.all(
        Array.from('abcdefgh', async (letter) => ({
          letter,
          ...(await sendAsTold(put, Buffer.alloc(size, letter))),
        })),
      )
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      const losers = answers.filter(({ status }) => status !== 200)
      expect(losers.every(({ status }) => status === 412 || status === 409)).toBe(true)
      expect(await text(key)).toBe(winners[0]?.letter.repeat(size))
    })

    test('a client that asks first is told to go on', async () => {
      const key = newKey()
      const { url, headers } = await signed(key)
      const outgoing = request(url, {
        method: 'PUT',
        headers: { ...headers, Expect: '100-continue' },
      })
      outgoing.flushHeaders()
      await once(outgoing, 'continue')
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      response.resume()
      expect(response.statusCode).toBe(200)
      expect(await text(key)).toBe('0123456789')
    })

    test('a client that goes away in the middle leaves nothing', async () => {
      const key = newKey()
      const { url, headers } = await signed(key)
      const { hostname, port, pathname, search, host } = new URL(url)
      const socket = connect(Number(port), hostname)
      const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}`)
      socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n01234`)
      socket.on('error', () => {})
      socket.end()
      socket.resume()
      await once(socket, 'close')
      expect(await storage.head(key)).toBeUndefined()
    })
  })

  describe('requests that were not signed', () => {
    const other = newKey()
    const with_ = (headers: Record<string, string>) => (put: PresignedPut) => ({
      headers: { ...put.headers, ...headers },
    })
    const without = (name: string) => (put: PresignedPut) => ({
      headers: Object.fromEntries(Object.entries(put.headers).filter(([each]) => each !== name)),
    })
    const changed = (change: (path: string) => string) => (put: PresignedPut) => {
      const { pathname, search } = new URL(put.url)
      return { headers: put.headers, path: change(`${pathname}${search}`) }
    }
    const cases: { what: string; sent: (put: PresignedPut) => Sent; body?: Buffer }[] = [
      {
        what: 'a body one byte longer',
        sent: with_({ 'Content-Length': '11' }),
        body: Buffer.from('0123456789a'),
      },
      {
        what: 'a body one byte shorter',
        sent: with_({ 'Content-Length': '9' }),
        body: Buffer.from('012345678'),
      },
      { what: 'another Content-Type', sent: with_({ 'Content-Type': 'text/html' }) },
      {
        what: 'a parameter at the Content-Type',
        sent: with_({ 'Content-Type': 'image/png; charset=x' }),
      },
      { what: 'no Content-Type', sent: without('Content-Type') },
      { what: 'no If-None-Match', sent: without('If-None-Match') },
      { what: 'another If-None-Match', sent: with_({ 'If-None-Match': '"etag"' }) },
      { what: 'chunks without a length', sent: without('Content-Length') },
      { what: 'another host', sent: with_({ Host: 'elsewhere.example' }) },
      { what: 'x-amz-acl', sent: with_({ 'x-amz-acl': 'public-read' }) },
      { what: 'x-amz-meta-', sent: with_({ 'x-amz-meta-owner': 'me' }) },
      {
        what: 'a redirect',
        sent: with_({ 'x-amz-website-redirect-location': 'https://elsewhere.example' }),
      },
      { what: 'a source to copy', sent: with_({ 'x-amz-copy-source': `/${bucket}/${other}` }) },
      { what: 'tags', sent: with_({ 'x-amz-tagging': 'a=b' }) },
      {
        what: 'one more signed header',
        sent: (put) => ({
          ...with_({ 'x-extra': '1' })(put),
          ...pathOf(put.url.replace('%3Bif-none-match', '%3Bif-none-match%3Bx-extra')),
        }),
      },
      {
        what: 'one signed header less',
        sent: (put) => ({
          ...without('If-None-Match')(put),
          ...pathOf(put.url.replace('%3Bif-none-match', '')),
        }),
      },
      {
        what: 'another key',
        sent: changed((path) => path.replace(`/${bucket}/${base}/`, `/${bucket}/${base}/x`)),
      },
      {
        what: 'another bucket',
        sent: changed((path) => path.replace(`/${bucket}/`, '/other-bucket/')),
      },
      {
        what: '../ in the path',
        sent: changed((path) => path.replace(`/${bucket}/`, `/${bucket}/../${bucket}/`)),
      },
      {
        what: '../ out of the bucket',
        sent: changed((path) => path.replace(`/${bucket}/`, `/${bucket}/../../../etc/`)),
      },
      {
        what: 'an encoded ../ in the path',
        sent: changed((path) => path.replace(`/${bucket}/`, `/${bucket}/%2e%2e%2f`)),
      },
      { what: 'a raised X-Amz-Expires', sent: changed((path) => path.replace('=900', '=90000')) },
      {
        what: 'a later X-Amz-Date',
        sent: changed((path) => path.replace(/(X-Amz-Date=\d{8}T)\d{6}/, '$1235959')),
      },
      { what: 'one more parameter', sent: changed((path) => `${path}&x-id=PutObject`) },
      { what: 'a parameter twice', sent: changed((path) => `${path}&X-Amz-Expires=9000`) },
      {
        what: 'another access key',
        sent: changed((path) => path.replace('X-Amz-Credential=', 'X-Amz-Credential=x')),
      },
      {
        what: 'a cut signature',
        sent: changed((path) => path.slice(0, -1)),
      },
      { what: 'no signature', sent: changed((path) => path.replace(/\?.*/, '')) },
      { what: 'GET', sent: (put) => ({ headers: put.headers, method: 'GET' }) },
      { what: 'POST', sent: (put) => ({ headers: put.headers, method: 'POST' }) },
      { what: 'DELETE', sent: (put) => ({ headers: put.headers, method: 'DELETE' }) },
    ]

    test.each(cases)('$what is refused and nothing is stored', async ({ sent, ...given }) => {
      const key = newKey()
      await storage.put(other, Buffer.from('other'), { contentType: 'a/b', contentLength: 5 })
      const before = await keys()
      const put = await signed(key)
      const { status } = await send(put.url, given.body ?? body, sent(put))
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(await keys()).toEqual(before)
      expect(await text(other)).toBe('other')
    })

    test('an address that has expired is refused', async () => {
      const key = newKey()
      const now = new Date(Date.now() - 901_000)
      const put = presignPut(endpoint, bucket, { key, ...input }, { ...signing, now })
      expect(await sendAsTold(put, body)).toEqual({ status: 403, code: 'AccessDenied' })
      expect(await storage.head(key)).toBeUndefined()
    })

    test('an address that is about to expire is still good', async () => {
      const key = newKey()
      const now = new Date(Date.now() - 840_000)
      const put = presignPut(endpoint, bucket, { key, ...input }, { ...signing, now })
      expect(await sendAsTold(put, body)).toMatchObject({ status: 200 })
    })

    test('an address that was signed with another secret is refused', async () => {
      const key = newKey()
      const wrong = { ...credentials, secretKey: 'another secret' }
      const put = presignPut(
        endpoint,
        bucket,
        { key, ...input },
        { ...signing, credentials: wrong },
      )
      const answer = await sendAsTold(put, body)
      expect(answer).toEqual({ status: 403, code: 'SignatureDoesNotMatch' })
      expect(await storage.head(key)).toBeUndefined()
    })

    const signing = { credentials, ifNoneMatch: true }
  })
}

function pathOf(url: string): { path: string } {
  const { pathname, search } = new URL(url)
  return { path: `${pathname}${search}` }
}
