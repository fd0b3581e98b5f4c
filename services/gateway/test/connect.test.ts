import { createHash } from 'node:crypto'
import { type Channel } from '@herald/contracts/channels'
import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import { MASTODON_CHANNEL } from '../src/openapi/examples.ts'
import { testGateway, type TestGateway } from './harness.ts'

const CALLBACK = '/connect/callback/x'
const HOSTILE: Channel = {
  ...MASTODON_CHANNEL,
  name: '<script>alert("1")</script>',
  username: `'"><img src=x>&`,
}
const ACCOUNTS = [
  { account: 'a"1', name: '<b>Anna</b>', username: '@anna' },
  { account: '2', name: 'Ben', username: '@ben' },
]

const come = (gateway: TestGateway, query = '?state=s&code=c', headers = {}) =>
  fetch(`${gateway.url}${CALLBACK}${query}`, { headers })

const choose = (gateway: TestGateway, form: string, type = 'application/x-www-form-urlencoded') =>
  fetch(`${gateway.url}${CALLBACK}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: form,
  })

/** A page of the right kind, with what it says. */
async function expectPage(response: Response, status: number): Promise<string> {
  const page = await response.text()
  expect(response.status).toBe(status)
  const headers = Object.fromEntries(response.headers)
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-request-id': expect.stringMatching(/./),
  })
  const style = /<style>(.+?)<\/style>/s.exec(page)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  )
  expect(page).not.toMatch(/<script|<img|https?:|style="|onclick/)
  return page
}

describe('GET /connect/callback/{platform}', () => {
  test('asks for no key, and shows what was connected with every name as text', async () => {
    const answer = { outcome: 'connected' as const, channels: [HOSTILE] }
    await using gateway = await testGateway({ channels: { finishConnect: async () => answer } })
    const page = await expectPage(await come(gateway), 200)
    expect(page).toContain('The account is connected')
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
    expect(page).toContain('(&#39;&quot;&gt;&lt;img src=x&gt;&amp;)')
    expect(gateway.channels.finishConnect).toHaveBeenCalledExactlyOnceWith({
      platform: 'X',
      query: { state: 's', code: 'c' },
    })
  })

  test('lets a person choose among accounts, by a form without a script', async () => {
    const answer = { outcome: 'choose' as const, token: 't"1', accounts: ACCOUNTS }
    await using gateway = await testGateway({ channels: { finishConnect: async () => answer } })
    const page = await expectPage(await come(gateway), 200)
    expect(page).toContain('<form method="post" action="x">')
    expect(page).toContain('<input type="hidden" name="token" value="t&quot;1" />')
    expect(page).toContain('<input type="checkbox" name="account" value="a&quot;1" />')
    expect(page).toContain('&lt;b&gt;Anna&lt;/b&gt; (@anna)')
  })

  test.each([
    [404, new AppError('not_found', 'This link is not valid any more.'), 'not valid any more'],
    [422, new AppError('validation_failed', 'X did not <b>grant</b> access.'), '&lt;b&gt;grant'],
    [503, unavailable(new Error('secret detail')), 'does not answer right now'],
    [500, new Error('secret detail'), 'Something went wrong in Herald. It has been logged.'],
  ])('says with status %i why nothing was connected', async (status, error, words) => {
    const finishConnect = () => Promise.reject(error)
    await using gateway = await testGateway({ channels: { finishConnect } })
    const response = await come(gateway)
    const page = await expectPage(response, status)
    expect(page).toContain('Nothing was connected')
    expect(page).toContain(words)
    expect(page).not.toContain('secret detail')
    expect(response.headers.has('retry-after')).toBe(status === 503)
  })

  test.each(['/connect/callback/myspace', '/connect/callback/X', '/connect/callback/%00'])(
    'knows no platform by the path %s',
    async (path) => {
      await using gateway = await testGateway()
      await expectPage(await fetch(`${gateway.url}${path}?state=s`), 404)
      expect(gateway.channels.finishConnect).not.toHaveBeenCalled()
    },
  )

  test('refuses a query in which something stands twice', async () => {
    await using gateway = await testGateway()
    await expectPage(await come(gateway, '?state=a&state=b'), 422)
    expect(gateway.channels.finishConnect).not.toHaveBeenCalled()
  })

  test('makes an address wait that shows 50 bad links in a minute, and nobody else', async () => {
    const clock = { ms: 0 }
    const finishConnect = () => Promise.reject(new AppError('not_found', 'Not valid.'))
    await using gateway = await testGateway({
      channels: { finishConnect },
      trustedProxies: ['127.0.0.0/8'],
      elapsed: () => clock.ms,
    })
    const from = (address: string) => come(gateway, undefined, { 'x-forwarded-for': address })
    for (let count = 0; count < 50; count++) expect((await from('192.0.2.1')).status).toBe(404)
    const response = await from('192.0.2.1')
    expect(response.headers.get('retry-after')).toBe('60')
    await expectPage(response, 429)
    expect((await from('192.0.2.2')).status).toBe(404)
    clock.ms = 60_000
    expect((await from('192.0.2.1')).status).toBe(404)
  })

  test('leaves nothing of the query in the log', async () => {
    const finishConnect = () => Promise.reject(new AppError('not_found', 'Not valid.'))
    await using gateway = await testGateway({ channels: { finishConnect } })
    await come(gateway, '?state=canary-1&code=canary-2')
    await choose(gateway, 'token=canary-3&account=canary-4')
    const log = JSON.stringify(gateway.log)
    expect(log).toContain('/connect/callback/:platform')
    expect(log).not.toContain('canary')
  })
})

describe('POST /connect/callback/{platform}', () => {
  test('passes the choice on, and shows what was connected', async () => {
    const chooseAccounts = async () => ({ channels: [MASTODON_CHANNEL, HOSTILE] })
    await using gateway = await testGateway({ channels: { chooseAccounts } })
    const page = await expectPage(await choose(gateway, 'token=t%221&account=1&account=2'), 200)
    expect(page).toContain('The accounts are connected')
    expect(gateway.channels.chooseAccounts).toHaveBeenCalledExactlyOnceWith({
      platform: 'X',
      token: 't"1',
      accounts: ['1', '2'],
    })
  })

  test.each([
    [415, 'application/json', '{}'],
    [413, 'application/x-www-form-urlencoded', `token=${'x'.repeat(300_000)}`],
  ])('answers %i to what is not its form', async (status, type, body) => {
    await using gateway = await testGateway()
    await expectPage(await choose(gateway, body, type), status)
    expect(gateway.channels.chooseAccounts).not.toHaveBeenCalled()
  })

  test('says why nothing was connected', async () => {
    const message = 'None of the accounts was chosen, so none is connected.'
    const chooseAccounts = () => Promise.reject(new AppError('validation_failed', message))
    await using gateway = await testGateway({ channels: { chooseAccounts } })
    expect(await expectPage(await choose(gateway, 'token=t'), 422)).toContain(message)
  })
})

test.each(['HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
  '%s is refused with what is allowed',
  async (method) => {
    await using gateway = await testGateway()
    const response = await fetch(`${gateway.url}${CALLBACK}?state=s`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST')
    expect(gateway.channels.finishConnect).not.toHaveBeenCalled()
  },
)
