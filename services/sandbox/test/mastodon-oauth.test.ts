import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mastodonUser } from './mastodon.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const REDIRECT = 'https://client.example/callback'
const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob'
const SCOPES = 'read:accounts write:statuses'

async function register(sandbox: TestSandbox) {
  const body = {
    client_name: 'Client',
    redirect_uris: `${REDIRECT}\n${OUT_OF_BAND}`,
    scopes: SCOPES,
  }
  const app = (await sandbox.ask('POST', '/mastodon/api/v1/apps', { body })).body
  return { client_id: app.client_id as string, client_secret: app.client_secret as string }
}

/** Opens the page, then presses its button. */
async function decide(
  sandbox: TestSandbox,
  account: string,
  asked: Record<string, string>,
  decision = 'approve',
) {
  const query = new URLSearchParams({ response_type: 'code', scope: SCOPES, ...asked })
  const page = await sandbox.ask('GET', `/mastodon/oauth/authorize?${query.toString()}`)
  const button = { ...Object.fromEntries(query), account, decision }
  const answer = await sandbox.ask('POST', '/mastodon/oauth/authorize', { body: button })
  return { page, answer }
}

function tokenFor(sandbox: TestSandbox, body: Record<string, string>) {
  return sandbox.ask('POST', '/mastodon/oauth/token', {
    body: { grant_type: 'authorization_code', redirect_uri: REDIRECT, ...body },
  })
}

describe('a person who approves an app', () => {
  test('is sent back with a code and the state, and the code gives a token that works', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox, 'writer')
    const app = await register(sandbox)
    const asked = { client_id: app.client_id, redirect_uri: REDIRECT, state: 'a&b' }
    const { page, answer } = await decide(sandbox, user.account, asked)
    expect(page.body).toContain('@writer')
    expect(answer.status).toBe(302)
    const back = new URL(answer.headers.get('location') ?? '')
    expect(back.searchParams.get('state')).toBe('a&b')
    const code = back.searchParams.get('code') ?? ''
    const { body } = await tokenFor(sandbox, { ...app, code })
    expect(body).toMatchObject({ token_type: 'Bearer', scope: SCOPES, created_at: 1_795_262_400 })
    expect(body).not.toHaveProperty('expires_in')
    const token: string = body.access_token
    const posted = await sandbox.ask('POST', '/mastodon/api/v1/statuses', {
      token,
      body: { status: 'By an app' },
    })
    expect(posted.body).toMatchObject({ application: { name: 'Client' } })
    expect(await tokenFor(sandbox, { ...app, code })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  test('can be shown the code instead', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const app = await register(sandbox)
    const asked = { client_id: app.client_id, redirect_uri: OUT_OF_BAND }
    const { answer } = await decide(sandbox, user.account, asked)
    const code = /<pre>([\w-]+)<\/pre>/.exec(answer.body)?.[1] ?? ''
    const redirect_uri = OUT_OF_BAND
    expect((await tokenFor(sandbox, { ...app, code, redirect_uri })).status).toBe(200)
  })

  test('must come back with the verifier, when the app sent a challenge', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const app = await register(sandbox)
    const verifier = 'v'.repeat(43)
    const asked = {
      client_id: app.client_id,
      redirect_uri: REDIRECT,
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    }
    for (const [code_verifier, status] of [['wrong', 400] as const, [verifier, 200] as const]) {
      const { answer } = await decide(sandbox, user.account, asked)
      const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
      expect((await tokenFor(sandbox, { ...app, code, code_verifier })).status).toBe(status)
    }
  })

  test('has ten minutes', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const app = await register(sandbox)
    const asked = { client_id: app.client_id, redirect_uri: REDIRECT }
    const { answer } = await decide(sandbox, user.account, asked)
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
    await sandbox.advance(600)
    expect((await tokenFor(sandbox, { ...app, code })).body.error).toBe('invalid_grant')
  })
})

test('a person who denies an app sends it back with access_denied', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const app = await register(sandbox)
  const asked = { client_id: app.client_id, redirect_uri: REDIRECT, state: 's' }
  const { answer } = await decide(sandbox, user.account, asked, 'deny')
  expect(answer.headers.get('location')).toMatch(/callback\?error=access_denied&.*state=s$/)
})

test.each([
  [{ client_id: 'unknown' }, 'unknown client'],
  [{ redirect_uri: 'https://evil.example/' }, 'redirect uri included is not valid'],
  [{ scope: 'write:everything' }, 'scope is invalid'],
  [{ scope: 'write:media' }, 'scope is invalid'],
  [{ code_challenge: 'x', code_challenge_method: 'plain' }, 'must be S256'],
])(
  'a request to authorize with %o is shown as an error and sends nobody anywhere',
  async (wrong, message) => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const app = await register(sandbox)
    const asked = { client_id: app.client_id, redirect_uri: REDIRECT, ...wrong }
    const { page, answer } = await decide(sandbox, user.account, asked)
    for (const { status, body } of [page, answer]) {
      expect(status).toBe(400)
      expect(body).toContain(message)
    }
  },
)

describe('a token', () => {
  test('never expires', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    await sandbox.advance(10 * 365 * 86_400)
    expect((await user.ask('GET', '/api/v1/accounts/verify_credentials')).body).toMatchObject({
      id: user.account,
    })
  })

  test('does only what its scopes allow', async () => {
    await using sandbox = await testSandbox()
    await mastodonUser(sandbox)
    const app = await register(sandbox)
    const { body } = await sandbox.ask('POST', '/mastodon/oauth/token', {
      body: { grant_type: 'client_credentials', scope: 'read:accounts', ...app },
    })
    const token: string = body.access_token
    const posted = await sandbox.ask('POST', '/mastodon/api/v1/statuses', {
      token,
      body: { status: 'x' },
    })
    expect(posted.status).toBe(403)
    expect(posted.body).toEqual({ error: 'This action is outside the authorized scopes' })
    const verified = await sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', {
      token,
    })
    expect(verified.status).toBe(422)
    expect(verified.body).toEqual({ error: 'This method requires an authenticated user' })
  })

  test('that is unknown, missing or revoked is refused with 401', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const verify = '/mastodon/api/v1/accounts/verify_credentials'
    for (const options of [{}, { token: 'unknown' }])
      expect(await sandbox.ask('GET', verify, options)).toMatchObject({
        status: 401,
        body: { error: 'The access token is invalid' },
      })
    await sandbox.ask('POST', '/_/tokens/revoke', {
      body: { platform: 'MASTODON', account: user.account },
    })
    expect((await user.post({ status: 'x' })).body).toEqual({
      error: 'The access token was revoked',
    })
    const again = await sandbox.ask('GET', '/_/accounts')
    const { username } = again.body.data[0]
    const renewed = await mastodonUser(sandbox, username)
    expect(renewed.account).toBe(user.account)
    expect((await renewed.post({ status: 'back' })).status).toBe(200)
  })

  test('is revoked by its app and by no other', async () => {
    await using sandbox = await testSandbox()
    const [app, other] = [await register(sandbox), await register(sandbox)]
    const { body } = await sandbox.ask('POST', '/mastodon/oauth/token', {
      body: { grant_type: 'client_credentials', scope: 'read:accounts', ...app },
    })
    const revoke = (by: object) =>
      sandbox.ask('POST', '/mastodon/oauth/revoke', { body: { ...by, token: body.access_token } })
    expect(await revoke(other)).toMatchObject({
      status: 403,
      body: { error: 'unauthorized_client' },
    })
    expect((await revoke(app)).status).toBe(200)
    const verified = await sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', {
      token: body.access_token,
    })
    expect(verified.status).toBe(401)
  })
})

test('an app that does not know its secret gets no token', async () => {
  await using sandbox = await testSandbox()
  const { client_id } = await register(sandbox)
  const answer = await tokenFor(sandbox, { client_id, client_secret: 'wrong', code: 'x' })
  expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
})
