import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'
import { answersOn, exchange, openSocket } from './raw-socket.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway({ headersTimeoutMs: 300, requestTimeoutMs: 600, checkEveryMs: 50 })
})
afterAll(() => gateway.close())

const BODY = '{"content":"a","channelIds":["c"]}'
const key = () => `Authorization: Bearer ${gateway.key}`
const head = (line: string, ...headers: string[]) => [line, 'Host: x', key(), ...headers, '', '']
const post = (...headers: string[]) =>
  head('POST /v1/posts HTTP/1.1', 'Content-Type: application/json', ...headers)
const get = (...headers: string[]) => head('GET /v1/me HTTP/1.1', ...headers)

describe('400', () => {
  const CASES: [string, () => string[]][] = [
    ['no HTTP at all', () => ['hello', '', '']],
    ['31: a method in small letters', () => head('get /v1/me HTTP/1.1')],
    ['an unknown method', () => head('STEAL /v1/me HTTP/1.1')],
    ['HTTP/2.0', () => head('GET /v1/me HTTP/2.0')],
    ['a space in the path', () => head('GET /v1/m e HTTP/1.1')],
    [
      '20: Content-Length and Transfer-Encoding',
      () => post('Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    ['two lengths', () => post('Content-Length: 5', 'Content-Length: 6')],
    ['a length below zero', () => post('Content-Length: -1')],
    ['a length of words', () => post('Content-Length: five')],
    ['chunked twice', () => post('Transfer-Encoding: chunked, identity')],
    ['23: a NUL in a header', () => get('X-A: a\u0000b')],
    ['a header without a colon', () => get('X-A')],
    ['a space before the colon', () => get('X-A : b')],
    ['a folded header', () => get('X-A: b', ' c')],
    ['a chunk of no size', () => [...post('Transfer-Encoding: chunked'), 'zz', '', '']],
  ]
  test.each(CASES)('%s', async (_what, lines) => {
    const [answer, ...others] = await exchange(gateway.url, lines())
    await expectRefusal(answer!, 400, 'validation_failed')
    expect(answer!.headers.get('connection')).toBe('close')
    expect(others).toEqual([])
  })

  test('21: no Host', async () => {
    const [answer] = await exchange(gateway.url, ['GET /v1/me HTTP/1.1', key(), '', ''])
    await expectRefusal(answer!, 400, 'validation_failed')
  })
})

describe('401', () => {
  test('5: two Authorization headers, even with the same key', async () => {
    const [answer] = await exchange(gateway.url, get(key(), 'Connection: close'))
    await expectRefusal(answer!, 401, 'unauthorized')
  })

  test.each(['\u0000', '\u00ff', '😀'])(
    '9: a key that ends in %j never reaches anybody',
    async (end) => {
      const asked = gateway.accounts.asked.length
      const lines = [
        'GET /v1/me HTTP/1.1',
        'Host: x',
        `${key()}${end}`,
        'Connection: close',
        '',
        '',
      ]
      const [answer] = await exchange(gateway.url, lines)
      expect([400, 401]).toContain(answer!.status)
      expect(gateway.accounts.asked.length).toBe(asked)
    },
  )
})

describe('405', () => {
  test.each(['PROPFIND', 'TRACE', 'PUT', 'OPTIONS', 'QUERY', 'SEARCH', 'PURGE'])(
    '31: %s reaches no handler',
    async (method) => {
      const [answer] = await exchange(
        gateway.url,
        head(`${method} /v1/channels HTTP/1.1`, 'Connection: close'),
      )
      await expectRefusal(answer!, 405, 'validation_failed')
      expect(answer!.headers.get('allow')).toBe('GET')
      expect(gateway.channels.list).not.toHaveBeenCalled()
    },
  )
})

describe('408', () => {
  test('headers that do not end', async () => {
    const [answer] = await exchange(gateway.url, ['GET /v1/me HTTP/1.1', 'Host: x'])
    await expectRefusal(answer!, 408, 'validation_failed')
  })

  test('26, 63: a body that stops before its length, and the post is not made', async () => {
    const [answer] = await exchange(gateway.url, [...post('Content-Length: 100'), '{'])
    await expectRefusal(answer!, 408, 'validation_failed')
    expect(gateway.posts.create).not.toHaveBeenCalled()
  })

  test('25: a body that is announced with Expect and never comes', async () => {
    const lines = post('Content-Length: 10', 'Expect: 100-continue')
    const [answer] = await exchange(gateway.url, lines)
    await expectRefusal(answer!, 408, 'validation_failed')
  })
})

describe('413', () => {
  test('a chunked body that grows beyond 256 KB', async () => {
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const lines = post('Transfer-Encoding: chunked', 'Connection: close').join('\r\n')
    const [answer] = await exchange(gateway.url, [`${lines}${chunk.repeat(9)}0`, '', ''])
    await expectRefusal(answer!, 413, 'validation_failed')
  })
})

describe('415', () => {
  test('a body without a content type', async () => {
    const lines = head(
      'POST /v1/posts HTTP/1.1',
      `Content-Length: ${BODY.length}`,
      'Connection: close',
    )
    const [answer] = await exchange(gateway.url, [...lines.slice(0, -1), BODY])
    await expectRefusal(answer!, 415, 'validation_failed')
  })
})

describe('417', () => {
  test('an expectation that nobody knows', async () => {
    const [answer] = await exchange(gateway.url, get('Expect: miracles'))
    await expectRefusal(answer!, 417, 'validation_failed')
  })
})

describe('422', () => {
  test('64: an empty chunked body', async () => {
    const lines = post('Transfer-Encoding: chunked', 'Connection: close')
    const [answer] = await exchange(gateway.url, [...lines.slice(0, -1), '0', '', ''])
    await expectRefusal(answer!, 422, 'validation_failed')
  })
})

describe('431', () => {
  test('22: headers of 17 KB', async () => {
    const [answer] = await exchange(gateway.url, get(`X-A: ${'a'.repeat(17 * 1024)}`))
    await expectRefusal(answer!, 431, 'validation_failed')
  })
})

describe('200', () => {
  test('24: 300 headers', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}: a`)
    const [answer] = await exchange(gateway.url, get(...many, 'Connection: close'))
    expect(answer!.status).toBe(200)
  })

  test('27: HTTP/1.0 without a Host', async () => {
    const [answer] = await exchange(gateway.url, ['GET /v1/me HTTP/1.0', key(), '', ''])
    expect(answer!.status).toBe(200)
  })

  test('7: space around the key belongs to the header, not to the key', async () => {
    const lines = ['GET /v1/me HTTP/1.1', 'Host: x', `${key()} \t`, 'Connection: close', '', '']
    const [answer] = await exchange(gateway.url, lines)
    expect(answer!.status).toBe(200)
  })

  test('38: a body with GET is not read', async () => {
    const lines = get('Content-Length: 1', 'Content-Type: application/json', 'Connection: close')
    const [answer] = await exchange(gateway.url, [...lines.slice(0, -1), '{'])
    expect(answer!.status).toBe(200)
  })

  test('27: a hundred requests at once on one connection, each answered in its turn', async () => {
    const requests = Array.from({ length: 100 }, (_, index) =>
      get(`X-Request-Id: r${index}`, ...(index === 99 ? ['Connection: close'] : [])).join('\r\n'),
    )
    const answers = await exchange(gateway.url, Buffer.from(requests.join('')))
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(
      Array.from({ length: 100 }, (_, index) => `r${index}`),
    )
    for (const { headers } of answers) expectFixedHeaders(headers)
  })
})

test('a client that leaves in the middle of its body makes no post and no noise', async () => {
  const socket = openSocket(gateway.url)
  socket.write([...post('Content-Length: 100'), '{'].join('\r\n'))
  await once(socket, 'connect')
  socket.end()
  const answers = await answersOn(socket)
  for (const answer of answers) await expectRefusal(answer, 400, 'validation_failed')
  expect(gateway.posts.create).not.toHaveBeenCalled()
  expect(gateway.log.filter(({ level }) => Number(level) > 40)).toEqual([])
})
