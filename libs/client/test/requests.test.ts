import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createHerald } from '../src/herald.ts'
import { clientOf } from './client.ts'
import { API_KEY } from './scripted-server.ts'

type Client = Awaited<ReturnType<typeof clientOf>>['herald']
type Row = [request: string, call: (herald: Client) => Promise<unknown>, body?: unknown]

const POST = { content: 'Hello', channelIds: ['chan_1'] }
const EDIT = { content: 'Hi' }
const ALL = { includeUnconfirmed: true }
const IMPORT = { url: 'https://files.example/cat.png', altText: 'A cat' }
const UPLOAD = { fileName: 'cat.png', mimeType: 'image/png', fileSize: 5 } as const

test.each<Row>([
  ['GET /v1/me', ({ me }) => me()],
  ['GET /v1/channels', ({ channels }) => channels.list().page()],
  ['GET /v1/channels/chan_1/options', ({ channels }) => channels.options('chan_1')],
  ['POST /v1/posts', ({ posts }) => posts.create(POST), POST],
  ['GET /v1/posts/post_1', ({ posts }) => posts.get('post_1')],
  ['GET /v1/posts', ({ posts }) => posts.list().page()],
  ['PATCH /v1/posts/post_1', ({ posts }) => posts.edit('post_1', EDIT), EDIT],
  ['DELETE /v1/posts/post_1', ({ posts }) => posts.remove('post_1')],
  ['POST /v1/posts/validate', ({ posts }) => posts.validate(POST), POST],
  ['POST /v1/posts/post_1/retry', ({ posts }) => posts.retry('post_1'), {}],
  ['POST /v1/posts/post_1/retry', ({ posts }) => posts.retry('post_1', ALL), ALL],
  ['GET /v1/posts/post_1/events', ({ posts }) => posts.events('post_1').page()],
  ['GET /v1/media', ({ media }) => media.list().page()],
  ['GET /v1/media/med_1', ({ media }) => media.get('med_1')],
  ['DELETE /v1/media/med_1', ({ media }) => media.remove('med_1')],
  ['POST /v1/media/import', ({ media }) => media.import(IMPORT), IMPORT],
  ['POST /v1/media/uploads', ({ media }) => media.createUpload(UPLOAD), UPLOAD],
  ['POST /v1/media/med_1/complete', ({ media }) => media.complete('med_1')],
])(
  '%s is asked with the key, its body, and an Idempotency-Key if it is a POST',
  async (request, call, body) => {
    await using client = await clientOf(() => ({ body: { data: [], id: 'x' } }))
    expect(await call(client.herald)).toMatchObject({ data: [] })
    expect(client.received).toHaveLength(1)
    const [{ method, path, json, headers }] = client.received as [(typeof client.received)[0]]
    expect(`${method} ${path}`).toBe(request)
    expect(json).toEqual(body)
    expect(headers.authorization).toBe(`Bearer ${API_KEY}`)
    expect(headers['idempotency-key'] !== undefined).toBe(method === 'POST')
  },
)

test('a query has what was given and nothing else, escaped', async () => {
  await using client = await clientOf(() => ({ body: { data: [], nextCursor: null } }))
  await client.herald.media.list({ q: 'a+b & c', type: 'media', limit: 5 }).page()
  await client.herald.posts.list({ from: '2026-11-21T09:30:00+01:00' }).page()
  await client.herald.channels.options('chan_1', { subreddit: 'r/bread' })
  expect(client.received.map(({ query }) => query)).toEqual([
    { q: 'a+b & c', type: 'media', limit: '5' },
    { from: '2026-11-21T09:30:00+01:00' },
    { subreddit: 'r/bread' },
  ])
})

test.each(['', '.', '..', '../me', 'a/b', 'a?b', 'post_1#', '%2e%2e', 'post_1\n'])(
  '%j is no id, and nothing is asked',
  async (id) => {
    await using client = await clientOf(() => ({ body: {} }))
    await expect(client.herald.posts.remove(id)).rejects.toThrow(TypeError)
    await expect(client.herald.media.get(id)).rejects.toThrow(TypeError)
    expect(() => client.herald.posts.events(id)).toThrow(TypeError)
    expect(client.received).toEqual([])
  },
)

describe('a client', () => {
  const right = { apiKey: API_KEY, baseUrl: 'https://herald.example/v1/' }

  test.each([
    ['an empty key', { apiKey: '' }],
    ['a key with a line break', { apiKey: 'secret\nkey' }],
    ['no address', { baseUrl: '' }],
    ['an address that is none', { baseUrl: 'herald.example' }],
    ['an address of a file', { baseUrl: 'file:///v1' }],
    ['an address with a password', { baseUrl: 'https://me:secret@herald.example' }],
    ['an address with a query', { baseUrl: 'https://herald.example/v1?key=secret' }],
  ])('is not made with %s', (_, wrong) => {
    expect(() => createHerald({ ...right, ...wrong })).toThrow(TypeError)
    expect(() => createHerald({ ...right, ...wrong })).not.toThrow(/secret/)
  })

  test('does not show its key', () => {
    const herald = createHerald(right)
    expect(inspect(herald, { depth: 10, showHidden: true })).not.toContain(API_KEY)
    expect(JSON.stringify(herald)).not.toContain(API_KEY)
  })

  test('asks below its address, with or without a slash at its end', async () => {
    await using client = await clientOf(() => ({ body: {} }))
    const herald = createHerald({ apiKey: API_KEY, baseUrl: `${client.url}/api/v1//` })
    await herald.me()
    expect(client.received[0]?.path).toBe('/api/v1/me')
  })

  test('tells what is left of the limits, and hears of every answer', async () => {
    const heard: string[] = []
    await using client = await clientOf(
      ({ path }) => ({
        status: path === '/v1/me' ? 200 : 404,
        headers: {
          RateLimit: '"minute";r=12;t=34, "month";r=8211;t=950400',
          'RateLimit-Policy': '"minute";q=60;w=60, "month";q=10000;w=2592000',
          'X-Request-Id': 'req-1',
        },
        body: {},
      }),
      {
        onAnswer: ({ method, path, status, requestId, headers }) =>
          heard.push(`${method} ${path} ${status} ${requestId} ${headers.has('ratelimit')}`),
      },
    )
    expect(client.herald.rateLimit()).toEqual({ minute: null, month: null })
    await client.herald.me()
    expect(client.herald.rateLimit()).toEqual({
      minute: { limit: 60, remaining: 12, resetsInSeconds: 34 },
      month: { limit: 10_000, remaining: 8_211, resetsInSeconds: 950_400 },
    })
    await client.herald.posts.get('post_1').catch(() => undefined)
    expect(heard).toEqual(['GET /me 200 req-1 true', 'GET /posts/post_1 404 req-1 true'])
  })
})
