import { describe, expect, test } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { testSandbox } from './sandbox.ts'

const expired = { status: 400, body: { error: 'ExpiredToken', message: 'Token has expired' } }
const revoked = { status: 400, body: { error: 'ExpiredToken', message: 'Token has been revoked' } }

test('a handle and its app password open a session that tells who it is', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox, 'writer')
  expect(user.handle).toBe('writer.sandbox.test')
  expect(user.did).toMatch(/^did:plc:[a-z2-7]{24}$/)
  expect(user.appPassword).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  const { token } = user
  expect((await user.xrpc('GET', 'com.atproto.server.getSession', { token })).body).toMatchObject({
    did: user.did,
    handle: user.handle,
    active: true,
  })
})

test('a wrong password is refused', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  expect(await user.login('aaaa-bbbb-cccc-dddd')).toMatchObject({
    status: 401,
    body: { error: 'AuthenticationRequired', message: 'Invalid identifier or password' },
  })
})

describe('an access token', () => {
  test('is good for two hours', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    await sandbox.advance(7199)
    expect((await user.post('In time')).status).toBe(200)
    await sandbox.advance(1)
    expect(await user.post('Too late')).toMatchObject(expired)
    expect((await user.refresh(user.refreshToken)).status).toBe(200)
  })

  test('that is missing, garbage or of the wrong kind is refused, each in its own way', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const session = (token?: string) =>
      user.xrpc('GET', 'com.atproto.server.getSession', token === undefined ? {} : { token })
    expect(await session()).toMatchObject({ status: 401, body: { error: 'AuthMissing' } })
    expect(await session('garbage')).toMatchObject({ status: 400, body: { error: 'InvalidToken' } })
    expect(await session(user.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'InvalidToken', message: 'Bad token scope' },
    })
  })
})

describe('a refresh token', () => {
  test('gives two new tokens and works once', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const renewed = (await user.refresh(user.refreshToken)).body
    expect(renewed.accessJwt).not.toBe(user.token)
    expect(await user.refresh(user.refreshToken)).toMatchObject(revoked)
    expect((await user.refresh(renewed.refreshJwt)).status).toBe(200)
  })

  test('is good for 90 days', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    await sandbox.advance(90 * 86_400)
    expect(await user.refresh(user.refreshToken)).toMatchObject(expired)
  })

  test('ends with its session', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const token = user.refreshToken
    expect((await user.xrpc('POST', 'com.atproto.server.deleteSession', { token })).status).toBe(
      200,
    )
    expect(await user.refresh(token)).toMatchObject(revoked)
  })
})

test('a revoked grant ends the password and both tokens, and the account can be given a new one', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox, 'writer')
  const body = { platform: 'BLUESKY', account: user.did }
  await sandbox.ask('POST', '/_/tokens/revoke', { body })
  expect(await user.post('x')).toMatchObject(revoked)
  expect(await user.refresh(user.refreshToken)).toMatchObject(revoked)
  expect((await user.login()).status).toBe(401)
  const again = await blueskyUser(sandbox, 'writer')
  expect(again.did).toBe(user.did)
  expect((await again.post('Back')).status).toBe(200)
})

test('the 31st login in five minutes is refused', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  for (let login = 2; login <= 30; login++) expect((await user.login()).status).toBe(200)
  const refused = await user.login()
  expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
  expect(refused.headers.get('ratelimit-policy')).toBe('30;w=300')
  await sandbox.advance(300)
  expect((await user.login()).status).toBe(200)
})

test('handles are resolved, profiles shown, and the server describes itself', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox, 'writer')
  const resolve = (handle: string) =>
    user.xrpc('GET', `com.atproto.identity.resolveHandle?handle=${handle}`)
  expect((await resolve('Writer.sandbox.test')).body).toEqual({ did: user.did })
  expect(await resolve('nobody.sandbox.test')).toMatchObject({
    status: 400,
    body: { error: 'InvalidRequest', message: 'Unable to resolve handle' },
  })
  const { token } = user
  const profile = await user.xrpc('GET', `app.bsky.actor.getProfile?actor=${user.did}`, { token })
  expect(profile.body).toMatchObject({ did: user.did, handle: user.handle, postsCount: 0 })
  const described = await user.xrpc('GET', 'com.atproto.server.describeServer')
  expect(described.body.availableUserDomains).toEqual(['.sandbox.test'])
})
