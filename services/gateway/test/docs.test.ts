import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openapiDocument } from '../src/openapi/document.ts'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

let gateway: TestGateway
let page: Response
let html: string
beforeAll(async () => {
  gateway = await testGateway()
  page = await get('/docs')
  html = await page.clone().text()
})
afterAll(() => gateway.close())

const get = (path: string, headers?: Record<string, string>) =>
  gateway.request('GET', path, { key: null, ...(headers && { headers }) })
const scriptPath = () => /<script src="([^"]+)">/.exec(html)?.[1] ?? ''

describe('GET /v1/openapi.json', () => {
  test('gives the document without a key', async () => {
    const response = await get('/v1/openapi.json')
    expect(response.status).toBe(200)
    expectFixedHeaders(response.headers)
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openapiDocument())))
  })
})

describe('GET /docs', () => {
  test('is a page without a key', () => {
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('x-request-id')).toMatch(/./)
  })

  test('names no other host, and turns off all that would ask one', () => {
    expect(html).not.toMatch(/https?:|\/\/[a-z]/)
    expect(html).toContain('"url":"/v1/openapi.json"')
    expect(html).toContain('"withDefaultFonts":false')
    expect(html).toContain('"telemetry":false')
    expect(html).not.toContain('proxyUrl')
  })

  test('may load nothing but what the gateway serves, and run no script but its own', () => {
    const policy = page.headers.get('content-security-policy') ?? ''
    const inline = /<script>(.+?)<\/script>/s.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(inline).digest('base64')
    const rules = Object.fromEntries(
      policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
    )
    expect(rules['default-src']).toEqual(["'none'"])
    expect(rules['script-src']).toEqual(["'self'", `'sha256-${hash}'`])
    expect(rules['connect-src']).toEqual(["'self'"])
    expect(rules['frame-ancestors']).toEqual(["'none'"])
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  })
})

describe('the script of the page', () => {
  test('may be kept forever, because its path names its version', async () => {
    const response = await get(scriptPath())
    expect(response.status).toBe(200)
    expect(scriptPath()).toMatch(/^\/docs\/scalar-\d+\.\d+\.\d+\.js$/)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const text = await response.text()
    expect(Buffer.byteLength(text)).toBe(Number(response.headers.get('content-length')))
    expect(text).toContain('createApiReference')
  })

  test.each(['TAG', 'W/TAG', '"other", TAG', '*'])(
    'is not sent again to who has it (%s)',
    async (form) => {
      const tag = (await get(scriptPath())).headers.get('etag') ?? ''
      const response = await get(scriptPath(), { 'If-None-Match': form.replace('TAG', tag) })
      expect(response.status).toBe(304)
      expect(response.headers.get('etag')).toBe(tag)
      expect(await response.text()).toBe('')
    },
  )

  test('is sent to who has another', async () => {
    expect((await get(scriptPath(), { 'If-None-Match': '"0.0.0"' })).status).toBe(200)
  })

  test('a reader who leaves in the middle is no failure', async () => {
    const leaving = new AbortController()
    const response = await fetch(gateway.url + scriptPath(), { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    expect((await get('/docs')).status).toBe(200)
    expect(gateway.log.filter(({ level }) => Number(level) > 30)).toEqual([])
  })
})

describe.each(['/v1/openapi.json', '/docs', 'the script'])('%s 405', (name) => {
  const path = () => (name === 'the script' ? scriptPath() : name)

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
    const response = await gateway.request(method, path(), { key: null })
    expect(response.headers.get('allow')).toBe('GET')
    await expectRefusal(response, 405, 'validation_failed')
  })

  test('HEAD is refused like any other method', async () => {
    const response = await gateway.request('HEAD', path(), { key: null })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET')
  })
})

test.each([
  '/docs/',
  '/Docs',
  '/docs/scalar.js',
  '/docs/..%2f..%2fpackage.json',
  '/v1/openapi.json/',
])('%s is nothing for a caller without a key', async (path) => {
  await expectRefusal(await get(path), 401, 'unauthorized')
})
