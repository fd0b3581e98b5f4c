import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { presign, presignPut } from './presign.ts'
import { canonicalQuery, encode, signatureOf } from './sigv4.ts'

// The worked examples of "Authenticating Requests (AWS Signature Version 4)" in Amazon's S3 API reference.
const secretKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const accessKey = 'AKIAIOSFODNN7EXAMPLE'
const region = 'us-east-1'
const host = 'examplebucket.s3.amazonaws.com'
const date = '20130524T000000Z'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test.each<{
  example: string
  method?: string
  path: string
  query?: [string, string][]
  headers?: Record<string, string>
  body?: string
  signature: string
}>([
  {
    example: 'GET Object',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    example: 'PUT Object',
    method: 'PUT',
    path: '/test%24file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    body: 'Welcome to Amazon S3.',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    example: 'GET Bucket Lifecycle',
    path: '/',
    query: [['lifecycle', '']],
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    example: 'Get Bucket (List Objects)',
    path: '/',
    query: [
      ['prefix', 'J'],
      ['max-keys', '2'],
    ],
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
])('the published example "$example" has the published signature', (example) => {
  const { method = 'GET', path, query = [], body = '', signature } = example
  const payloadHash = sha256(body)
  const headers = {
    host,
    'x-amz-date': date,
    'x-amz-content-sha256': payloadHash,
    ...example.headers,
  }
  const request = { method, path, query, headers, payloadHash }
  expect(signatureOf(request, { secretKey, date, region })).toBe(signature)
})

test('the published example of a signed address comes out letter by letter', () => {
  const now = new Date('2013-05-24T00:00:00Z')
  const credentials = { accessKey, secretKey, region }
  const url = new URL(`https://${host}/test.txt`)
  expect(presign('GET', url, { expiresSeconds: 86_400, now }, credentials)).toBe(
    `https://${host}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256` +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

const put = { key: 'staging/one', contentType: 'image/png', contentLength: 7, expiresSeconds: 900 }
const options = {
  credentials: { accessKey, secretKey, region },
  ifNoneMatch: true,
  now: new Date('2026-01-02T03:04:05.678Z'),
}

test('a signed PUT covers its size and type, and that there is no object yet', () => {
  const { url, headers, expiresAt } = presignPut('https://files.example/', 'media', put, options)
  expect(headers).toEqual({
    'Content-Type': 'image/png',
    'Content-Length': '7',
    'If-None-Match': '*',
  })
  expect(url).toMatch(/^https:\/\/files\.example\/media\/staging\/one\?/)
  expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe(
    'content-length;content-type;host;if-none-match',
  )
  expect(expiresAt).toBe('2026-01-02T03:19:05.000Z')
})

test('a server without If-None-Match gets addresses that do not name it', () => {
  const { url, headers } = presignPut('https://files.example', 'media', put, {
    ...options,
    ifNoneMatch: false,
  })
  expect(Object.keys(headers)).toEqual(['Content-Type', 'Content-Length'])
  expect(url).not.toContain('if-none-match')
})

test.each([
  { contentLength: -1 },
  { contentLength: 1.5 },
  { contentLength: Number.NaN },
  { contentLength: 2 ** 53 },
  { expiresSeconds: 0 },
  { expiresSeconds: 604_801 },
  { contentType: '' },
  { contentType: 'image/png\r\nx-amz-acl: public-read' },
])('an address for %j is not made', (wrong) => {
  expect(() =>
    presignPut('https://files.example', 'media', { ...put, ...wrong }, options),
  ).toThrow()
})

test('only unreserved characters stand unencoded in what is signed', () => {
  expect(encode("aZ0-_.~ !'()*/+é")).toBe('aZ0-_.~%20%21%27%28%29%2A%2F%2B%C3%A9')
  expect(
    canonicalQuery([
      ['b', '2 3'],
      ['a', '/'],
    ]),
  ).toBe('a=%2F&b=2%203')
})
