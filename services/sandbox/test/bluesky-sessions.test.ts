import { describe, expect, test } from 'vitest'
import { type Sandbox, skeet, startSandbox } from './sandbox.ts'

const refresh = (sandbox: Sandbox, token: string) =>
  sandbox.ask('POST', '/bluesky/xrpc/com.atproto.server.refreshSession', {
    headers: { authorization: `Bearer ${token}` },
  })
const claims = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString())

describe('an access token', () => {
  test('says when it expires, and is refused from then on', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const { iat, exp, sub } = claims(account.session.accessJwt)
    expect(exp - iat).toBe(7200)
    expect(sub).toBe(account.account)
    await sandbox.advance(7190)
    expect((await skeet(sandbox, account, { text: 'in time' })).status).toBe(200)
    await sandbox.advance(10)
    const late = await skeet(sandbox, account, { text: 'late' })
    expect(late.status).toBe(400)
    expect(late.body).toEqual({ error: 'ExpiredToken', message: 'Token has expired' })
  })

  test('that was not given out here is refused', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const none = await skeet(sandbox, { ...account, headers: {} }, { text: 'x' })
    expect([none.status, none.body.error]).toEqual([401, 'AuthMissing'])
    const [header, payload] = account.session.accessJwt.split('.')
    for (const token of ['garbage', `${header}.${payload}.AAAA`, account.session.refreshJwt]) {
      const reply = await skeet(
        sandbox,
        { ...account, headers: { authorization: `Bearer ${token}` } },
        { text: 'x' },
      )
      expect([reply.status, reply.body.error]).toEqual([400, 'InvalidToken'])
    }
  })
})

describe('a refresh token', () => {
  test('can be used once, and gives the next one', async () => {
    const sandbox = await startSandbox()
    const { session } = await sandbox.bluesky()
    const second = await refresh(sandbox, session.refreshJwt)
    expect(second.status).toBe(200)
    const again = await refresh(sandbox, session.refreshJwt)
    expect([again.status, again.body.error]).toEqual([400, 'ExpiredToken'])
    expect((await refresh(sandbox, second.body.refreshJwt)).status).toBe(200)
  })

  test('is no access token, and the other way round', async () => {
    const sandbox = await startSandbox()
    const { session } = await sandbox.bluesky()
    expect((await refresh(sandbox, session.accessJwt)).body.error).toBe('InvalidToken')
  })
})

test('a wrong app password is refused', async () => {
  const sandbox = await startSandbox()
  const { credentials } = await sandbox.bluesky()
  const reply = await sandbox.ask('POST', '/bluesky/xrpc/com.atproto.server.createSession', {
    body: { identifier: credentials.identifier, password: 'wrong' },
  })
  expect([reply.status, reply.body.error]).toEqual([401, 'AuthenticationRequired'])
})

test('the app password of one account does not open another', async () => {
  const sandbox = await startSandbox()
  const [one, other] = [await sandbox.bluesky(), await sandbox.bluesky()]
  const reply = await sandbox.ask('POST', '/bluesky/xrpc/com.atproto.server.createSession', {
    body: { identifier: one.credentials.identifier, password: other.credentials.appPassword },
  })
  expect(reply.status).toBe(401)
})

test('a revoked grant ends every session and the app password; new credentials work', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.bluesky('weather')
  await sandbox.control('/tokens/revoke', { platform: 'BLUESKY', account: account.account })
  expect((await skeet(sandbox, account, { text: 'x' })).body.error).toBe('ExpiredToken')
  expect((await refresh(sandbox, account.session.refreshJwt)).body.error).toBe('ExpiredToken')
  expect((await account.login()).status).toBe(401)
  const again = await sandbox.bluesky('weather')
  expect(again.account).toBe(account.account)
  expect((await skeet(sandbox, again, { text: 'back' })).status).toBe(200)
})

test('getSession names the account of the token', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.bluesky()
  const { body } = await sandbox.ask('GET', '/bluesky/xrpc/com.atproto.server.getSession', account)
  expect(body).toMatchObject({ did: account.account, handle: account.credentials.identifier })
})
