import { xConnector as x } from '@herald/platforms/x/connector'
import { describe, expect, test } from 'vitest'
import { grantAccess, pressButton } from './follow-oauth.ts'
import { testSandbox } from './sandbox.ts'
import { arrange, publish } from './x-publishing.ts'

describe('access to X', () => {
  const began = Date.parse('2026-11-21T12:00:00.000Z')

  test('is granted on the pages, renewed with another refresh token each time, and ended', async () => {
    await using sandbox = await testSandbox()
    const { user, settings, input } = await arrange(sandbox)
    const { account } = user
    const { input: grant, granted } = await grantAccess(sandbox, x.oauth!, {
      settings,
      account,
      now: began,
    })
    expect(granted).toMatchObject([
      { account, username: 'ada', name: 'ada', expiresAt: began + 7_200_000 },
    ])
    await expect(x.oauth!.finish(grant)).rejects.toMatchObject({ kind: 'refused' })
    const first = granted[0]!.secrets
    expect(await publish(sandbox, { ...input, token: first['accessToken']! })).toMatchObject({
      outcome: 'published',
    })
    await sandbox.advance(7200)
    expect(await publish(sandbox, { ...input, token: first['accessToken']! })).toMatchObject({
      outcome: 'reauth',
    })
    const now = began + 7_200_000
    const fresh = (secrets: Record<string, string>) =>
      x.freshToken({ baseUrl: '', settings, secrets, now, deadToken: secrets['accessToken'] })
    const renewed = await fresh(first)
    expect(renewed.secrets!['refreshToken']).not.toBe(first['refreshToken'])
    await expect(fresh(first)).rejects.toMatchObject({ kind: 'refused' })
    const text = 'Later'
    expect(await publish(sandbox, { ...input, text, token: renewed.token })).toMatchObject({
      outcome: 'published',
    })
    await x.oauth!.revoke!({ baseUrl: '', settings, secrets: renewed.secrets! })
    await expect(fresh(renewed.secrets!)).rejects.toMatchObject({ kind: 'refused' })
  })

  test('is not granted by who denies it, nor half a minute late', async () => {
    await using sandbox = await testSandbox()
    const { user, settings } = await arrange(sandbox)
    const input = {
      baseUrl: '',
      settings,
      redirectUri: 'https://herald.example/callback',
      now: began,
    }
    const { url, kept } = await x.oauth!.begin({ ...input, state: 's' })
    const denied = await pressButton(sandbox, url, user.account, 'deny')
    expect(denied).toMatchObject({ state: 's', error: 'access_denied' })
    await expect(x.oauth!.finish({ ...input, kept, query: denied })).rejects.toMatchObject({
      kind: 'refused',
    })
    const query = await pressButton(sandbox, url, user.account)
    await sandbox.advance(30)
    await expect(x.oauth!.finish({ ...input, kept, query })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  test('that the account has ended is dead', async () => {
    await using sandbox = await testSandbox()
    const { user, settings, input } = await arrange(sandbox)
    const identity = await x.identify({ baseUrl: '', settings, credentials: user.credentials })
    await sandbox.ask('POST', '/_/tokens/revoke', {
      body: { platform: 'X', account: user.account },
    })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'reauth' })
    const { secrets } = identity
    const dead = { baseUrl: '', settings, secrets, now: began, deadToken: user.token }
    await expect(x.freshToken(dead)).rejects.toMatchObject({ kind: 'refused' })
  })
})
