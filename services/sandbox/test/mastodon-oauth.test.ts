import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Sandbox, startSandbox, toot } from './sandbox.ts'

const REDIRECT = 'https://client.example.com/back'
const SCOPES = 'read:accounts write:statuses'
const VERIFIER = 'v'.repeat(64)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

async function register(sandbox: Sandbox, scopes = SCOPES) {
  const body = { client_name: 'Client', redirect_uris: REDIRECT, scopes }
  return (await sandbox.ask('POST', '/mastodon/api/v1/apps', { body })).body
}

async function decide(sandbox: Sandbox, clientId: string, fields: Record<string, string>) {
  const body = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: 'a b',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    decision: 'allow',
    ...fields,
  })
  const { headers, status } = await sandbox.ask('POST', '/mastodon/oauth/authorize', { body })
  return { status, target: URL.parse(headers.get('location') ?? '') }
}

function exchange(
  sandbox: Sandbox,
  app: { client_id: string; client_secret: string },
  fields: Record<string, string>,
) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: app.client_id,
    client_secret: app.client_secret,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...fields,
  })
  return sandbox.ask('POST', '/mastodon/oauth/token', { body })
}

async function connect(sandbox: Sandbox, scope = SCOPES) {
  const { account } = await sandbox.mastodon('harbour')
  const app = await register(sandbox)
  const { target } = await decide(sandbox, app.client_id, { account, scope })
  const { body } = await exchange(sandbox, app, { code: target?.searchParams.get('code') ?? '' })
  return { account, app, token: body, headers: { authorization: `Bearer ${body.access_token}` } }
}

test('an account is connected by its owner’s decision, and the token may do what was asked for', async () => {
  const sandbox = await startSandbox()
  const { account, token, headers } = await connect(sandbox)
  expect(token).toMatchObject({
    token_type: 'Bearer',
    scope: SCOPES,
    created_at: expect.any(Number),
  })
  const me = await sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', { headers })
  expect(me.body).toMatchObject({ id: account, username: 'harbour' })
  expect((await toot(sandbox, { headers }, { status: 'Hello' })).status).toBe(200)
})

test('a token may not do what was not asked for', async () => {
  const sandbox = await startSandbox()
  const { headers } = await connect(sandbox, 'read:accounts')
  const { status, body } = await toot(sandbox, { headers }, { status: 'Hello' })
  expect([status, body]).toEqual([403, { error: 'This action is outside the authorized scopes' }])
})

test('the page names the client and its scopes, and asks for the account', async () => {
  const sandbox = await startSandbox()
  await sandbox.mastodon('harbour')
  const { client_id } = await register(sandbox)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: '"><b>',
  })
  const { status, text } = await sandbox.ask('GET', `/mastodon/oauth/authorize?${query.toString()}`)
  expect(status).toBe(200)
  for (const part of ['Client asks for access', 'write:statuses', '@harbour'])
    expect(text).toContain(part)
  expect(text).not.toContain('"><b>')
})

test('the state comes back as it was, with the code or with the denial', async () => {
  const sandbox = await startSandbox()
  const { account } = await sandbox.mastodon()
  const { client_id } = await register(sandbox)
  const allowed = await decide(sandbox, client_id, { account })
  expect(allowed.status).toBe(302)
  expect(allowed.target?.searchParams.get('state')).toBe('a b')
  const { target } = await decide(sandbox, client_id, { account, decision: 'deny' })
  expect(target?.searchParams.get('error')).toBe('access_denied')
  expect(target?.searchParams.get('code')).toBeNull()
})

test('nothing is sent to an address that was not registered, or for an unknown client', async () => {
  const sandbox = await startSandbox()
  const { account } = await sandbox.mastodon()
  const { client_id } = await register(sandbox)
  const elsewhere = await decide(sandbox, client_id, {
    account,
    redirect_uri: 'https://evil.example.com/',
  })
  expect([elsewhere.status, elsewhere.target]).toEqual([400, null])
  const unknown = await decide(sandbox, 'unknown', { account })
  expect([unknown.status, unknown.target]).toEqual([401, null])
})

test('a scope that the client did not register is refused', async () => {
  const sandbox = await startSandbox()
  const { account } = await sandbox.mastodon()
  const { client_id } = await register(sandbox)
  const { target } = await decide(sandbox, client_id, { account, scope: 'write' })
  expect(target?.searchParams.get('error')).toBe('invalid_scope')
})

test('a code can be used once, within ten minutes, by its client, with its verifier', async () => {
  const sandbox = await startSandbox()
  const { account } = await sandbox.mastodon()
  const app = await register(sandbox)
  const code = async () =>
    (await decide(sandbox, app.client_id, { account })).target?.searchParams.get('code') ?? ''
  const refused = async (fields: Record<string, string>, by = app) => {
    const { status, body } = await exchange(sandbox, by, fields)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  }
  await refused({ code: await code(), code_verifier: 'wrong' })
  await refused({ code: await code(), redirect_uri: `${REDIRECT}/other` })
  await refused({ code: await code() }, await register(sandbox))
  const used = await code()
  expect((await exchange(sandbox, app, { code: used })).status).toBe(200)
  await refused({ code: used })
  const late = await code()
  await sandbox.advance(600)
  await refused({ code: late })
})

test('a client without its secret gets no token', async () => {
  const sandbox = await startSandbox()
  const app = await register(sandbox)
  const { status, body } = await exchange(
    sandbox,
    { ...app, client_secret: 'wrong' },
    { code: 'x' },
  )
  expect([status, body.error]).toEqual([401, 'invalid_client'])
})

test('a client can give back its own token, not that of another', async () => {
  const sandbox = await startSandbox()
  const { app, token, headers } = await connect(sandbox)
  const revoke = ({ client_id, client_secret }: Record<string, string>) =>
    sandbox.ask('POST', '/mastodon/oauth/revoke', {
      body: { client_id, client_secret, token: token.access_token },
    })
  expect((await revoke(await register(sandbox))).status).toBe(403)
  expect((await toot(sandbox, { headers }, { status: 'still' })).status).toBe(200)
  expect((await revoke(app)).status).toBe(200)
  expect((await toot(sandbox, { headers }, { status: 'over' })).status).toBe(401)
})

test.each([
  [{ redirect_uris: REDIRECT }],
  [{ client_name: 'Client' }],
  [{ client_name: 'Client', redirect_uris: 'not an address' }],
  [{ client_name: 'Client', redirect_uris: REDIRECT, scopes: 'everything' }],
])('a client that registers with %j is refused', async (body) => {
  const sandbox = await startSandbox()
  expect((await sandbox.ask('POST', '/mastodon/api/v1/apps', { body })).status).toBe(422)
})
