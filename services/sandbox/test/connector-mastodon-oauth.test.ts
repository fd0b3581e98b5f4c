import { mastodonOAuth } from '@herald/platforms/mastodon/oauth'
import { expect, test } from 'vitest'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const redirectUri = 'https://herald.example/connect/callback/mastodon'

/** What the connector is given, and an account that may grant access. */
async function arrange(sandbox: TestSandbox) {
  const { account } = await sandbox.account('MASTODON', 'ada')
  const input = { baseUrl: `${sandbox.url}/mastodon`, settings: {}, redirectUri, now: 0 }
  return { account, input }
}

/** Goes through the instance's page as a person does; gives what it writes into the address of the way back. */
async function visit(url: string, account: string, decision = 'approve') {
  const page = await (await fetch(url)).text()
  const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value]) => [
    name,
    (value ?? '').replaceAll('&amp;', '&'),
  ])
  const body = new URLSearchParams({ ...Object.fromEntries(fields), account, decision })
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
  const answer = await fetch(action, { method: 'POST', body, redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  expect(`${back.origin}${back.pathname}`).toBe(redirectUri)
  return Object.fromEntries(back.searchParams)
}

const verify = (sandbox: TestSandbox, token: string) =>
  sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', { token })

test('a person who approves Herald on the page gives it a token that can do all it needs', async () => {
  await using sandbox = await testSandbox()
  const { account, input } = await arrange(sandbox)
  const { url, kept } = await mastodonOAuth.begin({ ...input, state: 'a&b' })
  expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
  expect(url).not.toContain(kept['verifier'])
  const query = await visit(url, account)
  expect(query).toEqual({ state: 'a&b', code: expect.any(String) })
  const [identity, ...others] = await mastodonOAuth.finish({ ...input, kept, query })
  expect(others).toEqual([])
  expect(identity).toMatchObject({ account, username: 'ada' })
  const token = identity!.secrets['accessToken'] ?? ''
  const posted = await sandbox.ask('POST', '/mastodon/api/v1/statuses', {
    token,
    body: { status: 'By Herald' },
  })
  expect(posted.body).toMatchObject({ application: { name: 'Herald' } })
})

test('a code is good once, and only with the verifier of the same beginning', async () => {
  await using sandbox = await testSandbox()
  const { account, input } = await arrange(sandbox)
  const [one, other] = [
    await mastodonOAuth.begin({ ...input, state: '1' }),
    await mastodonOAuth.begin({ ...input, state: '2' }),
  ]
  const stolen = { ...one.kept, verifier: other.kept['verifier'] ?? '' }
  const query = await visit(one.url, account)
  const refused = { name: 'ConnectError', kind: 'refused' }
  await expect(mastodonOAuth.finish({ ...input, kept: stolen, query })).rejects.toMatchObject(
    refused,
  )
  const again = await visit(one.url, account)
  await mastodonOAuth.finish({ ...input, kept: one.kept, query: again })
  await expect(
    mastodonOAuth.finish({ ...input, kept: one.kept, query: again }),
  ).rejects.toMatchObject(refused)
})

test('a person who denies Herald is a refusal with the words of the instance', async () => {
  await using sandbox = await testSandbox()
  const { account, input } = await arrange(sandbox)
  const { url, kept } = await mastodonOAuth.begin({ ...input, state: 's' })
  const query = await visit(url, account, 'deny')
  await expect(mastodonOAuth.finish({ ...input, kept, query })).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('did not grant access'),
  })
})

test('a grant that is ended is dead at the instance', async () => {
  await using sandbox = await testSandbox()
  const { account, input } = await arrange(sandbox)
  const { url, kept } = await mastodonOAuth.begin({ ...input, state: 's' })
  const query = await visit(url, account)
  const [identity] = await mastodonOAuth.finish({ ...input, kept, query })
  const { secrets } = identity!
  expect((await verify(sandbox, secrets['accessToken'] ?? '')).status).toBe(200)
  await mastodonOAuth.revoke?.({ ...input, secrets })
  expect((await verify(sandbox, secrets['accessToken'] ?? '')).status).toBe(401)
})

test.each([
  ['is no Mastodon instance', '/bluesky', 'refused'],
  ['has nobody listening', undefined, 'unavailable'],
])('an address that %s begins nothing', async (_, path, kind) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const baseUrl = path === undefined ? 'http://127.0.0.1:1' : `${sandbox.url}${path}`
  await expect(mastodonOAuth.begin({ ...input, baseUrl, state: 's' })).rejects.toMatchObject({
    name: 'ConnectError',
    kind,
  })
})
