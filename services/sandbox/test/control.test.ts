import { expect, test } from 'vitest'
import { skeet, startSandbox, toot } from './sandbox.ts'

test.each([
  ['/accounts', {}],
  ['/accounts', { platform: 'MYSPACE' }],
  ['/accounts', { platform: 'MASTODON', username: 'not a name' }],
  ['/accounts', { platform: 'BLUESKY', username: '-x-' }],
  ['/accounts', { platform: 'BLUESKY', surprise: true }],
  ['/faults', { platform: 'MASTODON', kind: 'explode', times: 1 }],
  ['/faults', { platform: 'MASTODON', kind: 'slow', times: 0 }],
  ['/faults', { platform: 'MASTODON', kind: 'slow', times: 1, on: 'weekends' }],
  ['/tokens/revoke', { platform: 'MASTODON' }],
  ['/tokens/revoke', { platform: 'MASTODON', account: '404' }],
  ['/clock', { advanceSeconds: -1 }],
  ['/clock', {}],
])('POST /_%s with %j is refused with what is wrong', async (path, body) => {
  const sandbox = await startSandbox()
  const reply = await sandbox.ask('POST', `/_${path}`, { body })
  expect(reply.status).toBe(422)
  expect(reply.body.error).toMatchObject({ code: 'validation_failed', message: expect.any(String) })
  expect(reply.body.error.details.issues.length).toBeGreaterThan(0)
})

test('a body that is no JSON, and a filter for no platform, are refused', async () => {
  const sandbox = await startSandbox()
  const headers = { 'content-type': 'application/json' }
  const broken = await fetch(`${sandbox.url}/_/accounts`, { method: 'POST', headers, body: '{' })
  expect(broken.status).toBe(422)
  expect((await sandbox.ask('GET', '/_/posts?platform=MYSPACE')).status).toBe(422)
})

test('an account is made with what is needed to connect it', async () => {
  const sandbox = await startSandbox()
  const toots = await sandbox.ask('POST', '/_/accounts', { body: { platform: 'MASTODON' } })
  expect(toots.status).toBe(201)
  expect(toots.body).toEqual({
    platform: 'MASTODON',
    account: expect.stringMatching(/^\d+$/),
    baseUrl: `${sandbox.url}/mastodon`,
    credentials: { accessToken: expect.any(String) },
  })
  const skeets = await sandbox.ask('POST', '/_/accounts', {
    body: { platform: 'BLUESKY', username: 'harbour' },
  })
  expect(skeets.body).toEqual({
    platform: 'BLUESKY',
    account: expect.stringMatching(/^did:plc:[a-z2-7]{24}$/),
    baseUrl: `${sandbox.url}/bluesky`,
    credentials: { identifier: 'harbour.test', appPassword: expect.any(String) },
  })
})

test('a known username gets new credentials for the same account', async () => {
  const sandbox = await startSandbox()
  const [one, two] = [await sandbox.mastodon('harbour'), await sandbox.mastodon('harbour')]
  expect(two.account).toBe(one.account)
  await sandbox.control('/tokens/revoke', { platform: 'MASTODON', account: one.account })
  expect((await toot(sandbox, two, { status: 'x' })).body).toEqual({
    error: 'The access token is invalid',
  })
  expect((await toot(sandbox, await sandbox.mastodon('harbour'), { status: 'x' })).status).toBe(200)
})

test('what is live comes oldest first, and by platform and account', async () => {
  const sandbox = await startSandbox()
  const [toots, skeets] = [await sandbox.mastodon(), await sandbox.bluesky()]
  await toot(sandbox, toots, { status: 'one' })
  await sandbox.advance(1)
  await skeet(sandbox, skeets, { text: 'two' })
  await sandbox.advance(1)
  await toot(sandbox, await sandbox.mastodon(), { status: 'three' })
  const texts = async (query: string) =>
    (await sandbox.live(query)).map(({ text }: { text: string }) => text)
  expect(await texts('')).toEqual(['one', 'two', 'three'])
  expect(await texts('?platform=MASTODON')).toEqual(['one', 'three'])
  expect(await texts(`?platform=MASTODON&account=${toots.account}`)).toEqual(['one'])
  expect(await sandbox.requests('?platform=BLUESKY')).toEqual([
    {
      platform: 'BLUESKY',
      account: skeets.account,
      at: expect.any(String),
      applied: true,
      fault: null,
    },
  ])
})

test('it says that it is well', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.ask('GET', '/healthz')).status).toBe(200)
})
