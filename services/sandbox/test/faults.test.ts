import { describe, expect, test } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { mastodonUser } from './mastodon.ts'
import { png } from './media-bytes.ts'
import { type Asked, testSandbox, type TestSandbox } from './sandbox.ts'

type Poster = { account: string; post: () => Promise<Asked> }

const PLATFORMS: [string, (sandbox: TestSandbox) => Promise<Poster>][] = [
  [
    'MASTODON',
    async (sandbox) => {
      const user = await mastodonUser(sandbox)
      return { account: user.account, post: () => user.post({ status: 'Hello' }) }
    },
  ],
  [
    'BLUESKY',
    async (sandbox) => {
      const user = await blueskyUser(sandbox)
      return { account: user.did, post: () => user.post('Hello') }
    },
  ],
]

describe.each(PLATFORMS)('on %s', (platform, openPoster) => {
  async function arrange(sandbox: TestSandbox, kind: string) {
    const poster = await openPoster(sandbox)
    await sandbox.fault({ platform, account: poster.account, kind, times: 1 })
    return poster
  }

  async function expectApplied(sandbox: TestSandbox, kind: string, applied: boolean) {
    expect((await sandbox.live()).length).toBe(applied ? 1 : 0)
    expect(await sandbox.requests()).toMatchObject([{ platform, fault: kind, applied }])
    expect((await sandbox.ask('GET', '/_/faults')).body.data).toEqual([])
  }

  test.each([
    ['drop_before', false],
    ['drop_after', true],
  ])('%s cuts the connection, and applied is %s', async (kind, applied) => {
    await using sandbox = await testSandbox()
    const poster = await arrange(sandbox, kind)
    await expect(poster.post()).rejects.toThrow('fetch failed')
    await expectApplied(sandbox, kind, applied)
    expect((await poster.post()).status).toBe(200)
  })

  test('hang_after makes the post live and never answers', async () => {
    const sandbox = await testSandbox()
    const poster = await arrange(sandbox, 'hang_after')
    const hanging = poster.post().catch((error: unknown) => error)
    await expect.poll(async () => (await sandbox.live()).length).toBe(1)
    await expectApplied(sandbox, 'hang_after', true)
    await sandbox.close()
    expect(await hanging).toBeInstanceOf(Error)
  })

  test.each([
    ['error_before', false],
    ['error_after', true],
  ])('%s answers 500, and applied is %s', async (kind, applied) => {
    await using sandbox = await testSandbox()
    const poster = await arrange(sandbox, kind)
    expect((await poster.post()).status).toBe(500)
    await expectApplied(sandbox, kind, applied)
  })

  test('rate_limit answers 429 with a reset of one to two seconds, and applies nothing', async () => {
    await using sandbox = await testSandbox()
    const poster = await arrange(sandbox, 'rate_limit')
    const { status, headers } = await poster.post()
    expect(status).toBe(429)
    const reset = headers.get('x-ratelimit-reset')
    const resetAt = reset ? Date.parse(reset) : Number(headers.get('ratelimit-reset')) * 1000
    const waitMs = resetAt - Date.parse('2026-11-21T12:00:00Z')
    expect(waitMs).toBeGreaterThanOrEqual(1000)
    expect(waitMs).toBeLessThanOrEqual(2000)
    await expectApplied(sandbox, 'rate_limit', false)
    expect((await poster.post()).status).toBe(200)
  })

  test('malformed makes the post live and answers 200 with what is not JSON', async () => {
    await using sandbox = await testSandbox()
    const poster = await arrange(sandbox, 'malformed')
    const { status, body } = await poster.post()
    expect(status).toBe(200)
    expect(body).toBeTypeOf('string')
    await expectApplied(sandbox, 'malformed', true)
  })

  test('slow makes the post live and gives the whole answer in the end', async () => {
    await using sandbox = await testSandbox()
    const poster = await arrange(sandbox, 'slow')
    const { status, body } = await poster.post()
    expect(status).toBe(200)
    expect(body).toBeTypeOf('object')
    await expectApplied(sandbox, 'slow', true)
  })

  test('a fault is for its account, and as many times as it says', async () => {
    await using sandbox = await testSandbox()
    const [poster, other] = [await openPoster(sandbox), await openPoster(sandbox)]
    const fault = { platform, account: poster.account, kind: 'error_before', times: 2 }
    await sandbox.fault(fault)
    expect((await other.post()).status).toBe(200)
    expect((await poster.post()).status).toBe(500)
    expect((await sandbox.ask('GET', '/_/faults')).body.data).toEqual([
      { ...fault, times: 1, on: 'commit' },
    ])
    expect((await poster.post()).status).toBe(500)
    expect((await poster.post()).status).toBe(200)
  })

  test('faults are for commits unless they say otherwise, and can be cleared', async () => {
    await using sandbox = await testSandbox()
    const poster = await openPoster(sandbox)
    await sandbox.fault({ platform, kind: 'error_before', times: 5, on: 'media' })
    expect((await poster.post()).status).toBe(200)
    await sandbox.fault({ platform, kind: 'error_before', times: 5, on: 'any' })
    expect((await poster.post()).status).toBe(500)
    expect((await sandbox.ask('DELETE', '/_/faults')).status).toBe(204)
    expect((await poster.post()).status).toBe(200)
  })
})

test('auth_expired on Mastodon answers 401 once; the token is good again after it', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  await sandbox.fault({ platform: 'MASTODON', kind: 'auth_expired', times: 1 })
  const refused = await user.post({ status: 'x' })
  expect(refused.status).toBe(401)
  expect(refused.body).toEqual({ error: 'The access token is invalid' })
  expect((await user.post({ status: 'x' })).status).toBe(200)
})

test('auth_expired on Bluesky ends the access token for good, and the refresh token still works', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  await sandbox.fault({ platform: 'BLUESKY', kind: 'auth_expired', times: 1 })
  const expired = { status: 400, body: { error: 'ExpiredToken', message: 'Token has expired' } }
  expect(await user.post('x')).toMatchObject(expired)
  expect(await user.post('x')).toMatchObject(expired)
  expect(await sandbox.live()).toEqual([])
  const { accessJwt: token } = (await user.refresh(user.refreshToken)).body
  expect((await user.xrpc('GET', 'com.atproto.server.getSession', { token })).status).toBe(200)
})

test('faults reach uploads, logins and reads too', async () => {
  await using sandbox = await testSandbox()
  const [mastodon, bluesky] = [await mastodonUser(sandbox), await blueskyUser(sandbox)]
  const arm = (platform: string, on: string, account?: string) =>
    sandbox.fault({ platform, account, on, kind: 'error_before', times: 1 })
  await arm('MASTODON', 'media', mastodon.account)
  expect((await mastodon.upload(png())).status).toBe(500)
  await arm('MASTODON', 'read')
  expect((await mastodon.ask('GET', '/api/v1/accounts/verify_credentials')).status).toBe(500)
  await arm('BLUESKY', 'media')
  expect((await bluesky.upload(png())).status).toBe(500)
  await arm('BLUESKY', 'auth', bluesky.did)
  expect((await bluesky.login()).status).toBe(500)
  expect(await sandbox.requests()).toEqual([])
})
