import { describe, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { type Reply, type Sandbox, skeet, startSandbox, toot } from './sandbox.ts'

type Platform = {
  platform: 'MASTODON' | 'BLUESKY'
  authExpired: [number, string]
  post: (sandbox: Sandbox, signal?: AbortSignal) => Promise<Post>
}
type Post = { account: string; commit: (signal?: AbortSignal) => Promise<Reply> }

const mastodon: Platform = {
  platform: 'MASTODON',
  authExpired: [401, 'The access token is invalid'],
  async post(sandbox) {
    const account = await sandbox.mastodon()
    return {
      account: account.account,
      commit: (signal) =>
        sandbox.ask('POST', '/mastodon/api/v1/statuses', {
          body: { status: 'Hello' },
          headers: account.headers,
          ...(signal && { signal }),
        }),
    }
  },
}
const bluesky: Platform = {
  platform: 'BLUESKY',
  authExpired: [400, 'ExpiredToken'],
  async post(sandbox) {
    const account = await sandbox.bluesky()
    const collection = 'app.bsky.feed.post'
    const record = { $type: collection, text: 'Hello', createdAt: '2026-05-01T10:00:00Z' }
    return {
      account: account.account,
      commit: (signal) =>
        sandbox.ask('POST', '/bluesky/xrpc/com.atproto.repo.createRecord', {
          body: { repo: account.account, collection, record },
          headers: account.headers,
          ...(signal && { signal }),
        }),
    }
  },
}

/** A post with one fault in its way. */
async function withFault({ platform, post }: Platform, kind: string) {
  const sandbox = await startSandbox()
  const { account, commit } = await post(sandbox)
  await sandbox.control('/faults', { platform, account, kind, times: 1 })
  return { sandbox, account, commit }
}

describe.each([mastodon, bluesky])('on $platform', (target) => {
  test.each([
    ['drop_before', false],
    ['drop_after', true],
  ])('%s cuts the connection; live: %s', async (kind, applied) => {
    const { sandbox, commit } = await withFault(target, kind)
    await expect(commit()).rejects.toThrow('fetch failed')
    expect(await sandbox.live()).toHaveLength(applied ? 1 : 0)
    expect(await sandbox.requests()).toMatchObject([{ applied, fault: kind }])
  })

  test.each([
    ['error_before', false],
    ['error_after', true],
  ])('%s answers 500; live: %s', async (kind, applied) => {
    const { sandbox, commit } = await withFault(target, kind)
    expect((await commit()).status).toBe(500)
    expect(await sandbox.live()).toHaveLength(applied ? 1 : 0)
    expect(await sandbox.requests()).toMatchObject([{ applied, fault: kind }])
  })

  test('hang_after makes the post live and never answers', async () => {
    const { sandbox, commit } = await withFault(target, 'hang_after')
    const giveUp = new AbortController()
    const call = commit(giveUp.signal).catch((error: Error) => error.name)
    await eventually(async () =>
      expect(await sandbox.requests()).toMatchObject([{ applied: true }]),
    )
    giveUp.abort()
    expect(await call).toBe('AbortError')
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('rate_limit answers 429 with the time to come back, and nothing is live', async () => {
    const { sandbox, commit } = await withFault(target, 'rate_limit')
    const { status, headers } = await commit()
    expect(status).toBe(429)
    const reset = headers.get('x-ratelimit-reset') ?? Number(headers.get('ratelimit-reset')) * 1000
    expect(new Date(reset).getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')).toBe('0')
    expect(await sandbox.live()).toEqual([])
  })

  test('auth_expired says so once, and the token is good again after it', async () => {
    const { sandbox, commit } = await withFault(target, 'auth_expired')
    const { status, body } = await commit()
    expect([status, body.error]).toEqual(target.authExpired)
    expect(await sandbox.live()).toEqual([])
    expect((await commit()).status).toBe(200)
  })

  test('malformed makes the post live and answers 200 with what is no JSON', async () => {
    const { sandbox, commit } = await withFault(target, 'malformed')
    const { status, body } = await commit()
    expect(status).toBe(200)
    expect(body).toBeUndefined()
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('slow makes the post live and answers in pieces, completely', async () => {
    const { sandbox, commit } = await withFault(target, 'slow')
    const { status, body } = await commit()
    expect(status).toBe(200)
    expect(body.id ?? body.uri).toBeDefined()
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('a fault hits its account its number of times, then is gone', async () => {
    const sandbox = await startSandbox()
    const [one, other] = [await target.post(sandbox), await target.post(sandbox)]
    const { platform } = target
    await sandbox.control('/faults', {
      platform,
      account: one.account,
      kind: 'error_before',
      times: 2,
    })
    expect((await other.commit()).status).toBe(200)
    const statuses = [await one.commit(), await one.commit(), await one.commit()].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([500, 500, 200])
    expect((await sandbox.ask('GET', '/_/faults')).body).toEqual({ data: [] })
  })

  test('a fault that is cleared does nothing', async () => {
    const { sandbox, commit } = await withFault(target, 'error_before')
    const cleared = await sandbox.ask('DELETE', '/_/faults')
    expect([cleared.status, cleared.body]).toEqual([200, {}])
    expect((await commit()).status).toBe(200)
  })
})

describe('the kind of call a fault is for', () => {
  test('is a commit unless said: reads and logins go on', async () => {
    const sandbox = await startSandbox()
    const [toots, skeets] = [await sandbox.mastodon(), await sandbox.bluesky()]
    for (const platform of ['MASTODON', 'BLUESKY'])
      await sandbox.control('/faults', { platform, kind: 'error_before', times: 9 })
    expect((await sandbox.ask('GET', '/mastodon/api/v2/instance')).status).toBe(200)
    expect(
      (await sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', toots)).status,
    ).toBe(200)
    expect((await skeets.login()).status).toBe(200)
    expect((await toot(sandbox, toots, { status: 'x' })).status).toBe(500)
    expect(
      (await skeet(sandbox, skeets, { text: 'x' }, { rkey: '3k', method: 'putRecord' })).status,
    ).toBe(500)
  })

  test.each(['auth', 'any'])('%s reaches logins', async (on) => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    await sandbox.control('/faults', {
      platform: 'BLUESKY',
      account: account.account,
      kind: 'error_before',
      times: 1,
      on,
    })
    expect((await account.login()).status).toBe(500)
    expect((await account.login()).status).toBe(200)
  })

  test('read reaches look-ups and not commits', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    await sandbox.control('/faults', {
      platform: 'MASTODON',
      kind: 'error_before',
      times: 1,
      on: 'read',
    })
    expect((await toot(sandbox, account, { status: 'x' })).status).toBe(200)
    const path = `/mastodon/api/v1/accounts/${account.account}/statuses`
    expect((await sandbox.ask('GET', path, account)).status).toBe(500)
    expect((await sandbox.ask('GET', path, account)).body).toHaveLength(1)
  })
})
