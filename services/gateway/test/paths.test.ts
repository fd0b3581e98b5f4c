import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'
import { exchange } from './raw-socket.ts'

let gateway: TestGateway
let ready = true
beforeAll(async () => {
  gateway = await testGateway({ isReady: async () => ready })
})
afterAll(() => gateway.close())

describe('404', () => {
  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v2/posts',
    '/posts',
    '/v1/Posts',
    '/V1/posts',
    '/v1/posts/',
    '/v1/me/',
    '/v1//posts',
    '//v1/posts',
    '//posts',
    '/v1/posts;a=b',
    '/v1/posts%2F',
    '/v1/posts/..%2fme',
    '/v1/%70osts%00',
    '/v1/media/',
    '/v1/media/med_01kb5x4a7ne8btgq1vq4p0d2c9/',
    '/v1/posts/post_01kb5x4a7ne8btgq1vq4p0d2c9/history',
    '/healthz/',
    '/Healthz',
    '/v1/\\posts',
    '/v1/../v1/me',
    '*',
    'http://other.example/v1/nothing',
  ])('32: %s is nothing for a caller with a key', async (target) => {
    const [answer] = await exchange(gateway.url, [
      `GET ${target} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${gateway.key}`,
      'Connection: close',
      '',
      '',
    ])
    await expectRefusal(answer!, 404, 'not_found')
  })
})

describe('401', () => {
  test.each(['/v1/nothing', '/', '/v1/posts/%E0%A4%A', '/favicon.ico'])(
    'without a key %s does not even tell that it is nothing',
    async (path) => {
      await expectRefusal(await gateway.request('GET', path, { key: null }), 401, 'unauthorized')
    },
  )
})

describe('health', () => {
  test('/healthz answers without a key', async () => {
    const response = await gateway.request('GET', '/healthz', { key: null })
    expect(response.status).toBe(200)
    expectFixedHeaders(response.headers)
  })

  test('/readyz is 503 as long as there is no road to the services', async () => {
    ready = false
    const response = await gateway.request('GET', '/readyz', { key: null })
    expect(response.headers.get('retry-after')).toBe('1')
    await expectRefusal(response, 503, 'internal_error')
    ready = true
    expect((await gateway.request('GET', '/readyz', { key: null })).status).toBe(200)
  })
})

describe('X-Request-Id', () => {
  test.each(['r-1', 'A.b_c-9', 'a'.repeat(128)])('%.10s is kept', async (id) => {
    const response = await gateway.request('GET', '/v1/me', { headers: { 'X-Request-Id': id } })
    expect(response.headers.get('x-request-id')).toBe(id)
  })

  test.each(['', 'a b', 'a,b', 'é', '{}', 'a'.repeat(129)])('%.10s is replaced', async (id) => {
    const response = await gateway.request('GET', '/v1/me', { headers: { 'X-Request-Id': id } })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
