import type { PublishInput } from '@herald/platforms/platform'
import { redditConnector as reddit } from '@herald/platforms/reddit/connector'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { grantAccess, REDIRECT_URI, visit } from './grant.ts'
import { aPublishInput } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function settingsOf(sandbox: TestSandbox) {
  return platformSettings(await sandbox.settings('REDDIT')).of('REDDIT')
}

async function arrange(sandbox: TestSandbox): Promise<PublishInput> {
  const { account, baseUrl, credentials } = await sandbox.account('REDDIT', 'ada')
  return aPublishInput({
    baseUrl,
    account,
    token: credentials['accessToken'] ?? '',
    settings: await settingsOf(sandbox),
    options: { subreddit: 'boats', title: 'A boat' },
  })
}

test('access is granted in a browser, renewed when it ends, and ended', async () => {
  await using sandbox = await testSandbox()
  const { account } = await sandbox.account('REDDIT', 'ada')
  const settings = await settingsOf(sandbox)
  const [identity] = await grantAccess(reddit.oauth, settings, account)
  if (!identity) throw new Error('There is no account.')
  expect(identity).toMatchObject({ account, username: 'ada', name: 'ada', rules: {} })
  const { secrets } = identity
  const now = Number(secrets['expiresAt']) - 3_600_000
  const input = { baseUrl: '', settings, secrets, now }
  expect(await reddit.freshToken(input)).toEqual({
    token: secrets['accessToken'],
    expiresAt: Number(secrets['expiresAt']),
  })
  const renewed = await reddit.freshToken({ ...input, aheadMs: 7_200_000 })
  expect(renewed.token).not.toBe(secrets['accessToken'])
  expect(renewed.secrets).toMatchObject({
    accessToken: renewed.token,
    refreshToken: secrets['refreshToken'],
  })
  expect(renewed.expiresAt).toBe(now + 86_400_000)
  const dead = { ...input, deadToken: secrets['accessToken'] }
  expect((await reddit.freshToken(dead)).token).not.toBe(secrets['accessToken'])
  await reddit.oauth?.revoke?.({ baseUrl: '', settings, secrets })
  await expect(reddit.freshToken(dead)).rejects.toMatchObject({ kind: 'refused' })
})

test('a person who denies access connects nothing', async () => {
  await using sandbox = await testSandbox()
  const { account } = await sandbox.account('REDDIT', 'ada')
  const settings = await settingsOf(sandbox)
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: 0 }
  const begun = await reddit.oauth?.begin({ ...grant, state: 's' })
  const query = await visit(begun?.url ?? '', { account, decision: 'deny' })
  await expect(reddit.oauth?.finish({ ...grant, kept: {}, query })).rejects.toMatchObject({
    kind: 'refused',
  })
  const bad = { ...grant, kept: {}, query: { code: 'made-up' } }
  await expect(reddit.oauth?.finish(bad)).rejects.toMatchObject({ kind: 'refused' })
})

test('a token that was got elsewhere can be connected, and a dead one not', async () => {
  await using sandbox = await testSandbox()
  const { account, baseUrl, credentials } = await sandbox.account('REDDIT', 'ada')
  const settings = await settingsOf(sandbox)
  expect(await reddit.identify({ baseUrl, credentials, settings })).toMatchObject({
    account,
    secrets: credentials,
    expiresAt: Number(credentials['expiresAt']),
  })
  await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'REDDIT', account } })
  await expect(reddit.identify({ baseUrl, credentials, settings })).rejects.toMatchObject({
    kind: 'refused',
  })
  const input = await arrange(sandbox)
  const token = credentials['accessToken'] ?? ''
  expect(await reddit.commit({ ...input, token, step: {} })).toMatchObject({ outcome: 'reauth' })
})

test('flairs can be chosen once the subreddit is known', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  const field = 'reddit.flairId'
  const choices = (query: Record<string, string>) => reddit.choices?.({ ...input, query })
  expect(await choices({})).toEqual([{ field, choices: [], needs: 'subreddit' }])
  expect(await choices({ subreddit: 'a b' })).toMatchObject([{ needs: 'subreddit' }])
  expect(await choices({ subreddit: '/r/flaired' })).toEqual([
    {
      field,
      choices: [
        { value: expect.any(String), label: 'News' },
        { value: expect.any(String), label: 'Question' },
      ],
    },
  ])
  expect(await choices({ subreddit: 'boats' })).toEqual([{ field, choices: [] }])
  expect(await choices({ subreddit: 'private' })).toEqual([{ field, choices: [] }])
})
