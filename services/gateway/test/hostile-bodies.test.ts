import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectRefusal, testGateway, type TestGateway } from './harness.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())
afterEach(() => vi.clearAllMocks())

/** Refused in the envelope, seen by no service, and nothing for the log to be alarmed at. */
const expectHarmless = async (response: Response, status: number) => {
  const error = await expectRefusal(response, status, 'validation_failed')
  expect(gateway.posts.create).not.toHaveBeenCalled()
  expect(gateway.posts.edit).not.toHaveBeenCalled()
  expect(gateway.log.filter(({ level }) => Number(level) > 40)).toEqual([])
  return error
}

const post = 'POST /v1/posts'
const patch = 'PATCH /v1/posts/post_01kb5x4a7ne8btgq1vq4p0d2c9'
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]))

const BROKEN: [string, string | Uint8Array][] = [
  ['39: nothing', ''],
  ['40: null', 'null'],
  ['41: a list', '[]'],
  ['42: a string', '"a"'],
  ['a number', '1'],
  ['true', 'true'],
  ['43: two objects', '{}{}'],
  ['44: a comma at the end', '{"content":"a",}'],
  ['44: a comment', '{"content":"a"/* */}'],
  ['44: NaN', '{"content":NaN}'],
  ['single quotes', "{'content':'a'}"],
  ['half an object', '{"content":"a"'],
  ['one byte of NUL', '\u0000'],
  ['61: invalid UTF-8', bytes('{"content":"', [0xff, 0xfe], '"}')],
  ['61: an overlong UTF-8 form', bytes('{"content":"', [0xc0, 0xaf], '"}')],
  ['46: UTF-16', Buffer.from('{"content":"a"}', 'utf16le')],
  ['50: lists 10,000 deep', `{"content":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ['objects 21 deep', `${'{"a":'.repeat(20)}{}${'}'.repeat(20)}`],
  ['51: 501 names', JSON.stringify(Object.fromEntries(Object.entries(many).slice(0, 501)))],
  ['501 items', JSON.stringify({ channelIds: Array(501).fill(null) })],
  ['53: its own __proto__', '{"__proto__":{"content":"a"},"content":"a","channelIds":["c"]}'],
  ['54: constructor', '{"constructor":{"prototype":{}},"content":"a","channelIds":["c"]}'],
  ['54: toString', '{"toString":1,"content":"a","channelIds":["c"]}'],
  ['55: unknown fields', '{"content":"a","channelIds":["c"],"orgId":"org_x","id":"post_x"}'],
  ['56: a number beyond all', '{"content":1e999,"channelIds":["c"]}'],
  ['57: a number of 20 digits', '{"content":12345678901234567890,"channelIds":["c"]}'],
  ['59: a NUL in the text', String.raw`{"content":"\u0000","channelIds":["c"]}`],
  ['60: half a surrogate pair', String.raw`{"content":"\ud800","channelIds":["c"]}`],
]

describe.each([post, patch])('%s 422', (endpoint) => {
  const [method = '', path = ''] = endpoint.split(' ')
  test.each(BROKEN)('%s is no body', async (_what, body) => {
    const headers = { 'Content-Type': 'application/json' }
    await expectHarmless(await gateway.request(method, path, { body, headers }), 422)
  })

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    '47: a body that is not compressed by %s as it says is refused',
    async (encoding) => {
      const headers = { 'Content-Encoding': encoding }
      const response = await gateway.request(method, path, { body: '{}', headers })
      await expectHarmless(response, 422)
    },
  )
})

describe.each([post, patch])('%s 413', (endpoint) => {
  const [method = '', path = ''] = endpoint.split(' ')
  test.each<[string, Uint8Array, string]>([
    ['49: 2 MB of spaces', Buffer.alloc(2_000_000, ' '), 'identity'],
    ['51: 100,000 names', Buffer.from(JSON.stringify(many)), 'identity'],
    ['48: 5 KB that unpack to 5 MB', gzipSync(Buffer.alloc(5_000_000, ' ')), 'gzip'],
    ['47: zstd that unpacks to 5 MB', zstdCompressSync(Buffer.alloc(5_000_000, ' ')), 'zstd'],
  ])('%s are too much', async (_what, body, encoding) => {
    const headers = { 'Content-Encoding': encoding }
    const response = await gateway.request(method, path, { body, headers })
    await expectHarmless(response, 413)
  })
})

test('no more than twenty wrong places are named', async () => {
  const body = { content: 'a', channelIds: Array(100).fill(1) }
  const error = await expectHarmless(await gateway.request('POST', '/v1/posts', { body }), 422)
  expect(error.details?.['issues']).toHaveLength(20)
})
