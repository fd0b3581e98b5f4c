import { expect, test } from 'vitest'
import { storedOrRenewed } from './stored-token.ts'

const NOW = 1_000_000
const SECRETS = { accessToken: 'a1', refreshToken: 'r1', expiresAt: String(NOW + 3_600_000) }

function ask(secrets: Record<string, string>, more = {}, answer = {}) {
  const asked: string[] = []
  const result = storedOrRenewed(
    { baseUrl: '', settings: {}, secrets, now: NOW, ...more },
    'Somewhere',
    async (refreshToken) => {
      asked.push(refreshToken)
      return { access_token: 'a2', expires_in: 10, ...answer }
    },
  )
  return { asked, result }
}

test.each([
  ['it lasts', SECRETS, {}],
  ['nobody knows how long it lasts', { accessToken: 'a1' }, {}],
  ['it cannot be renewed and has not ended', { accessToken: 'a1', expiresAt: String(NOW + 1) }, {}],
])('the stored token is used while %s', async (_, secrets, more) => {
  const { asked, result } = ask(secrets, more)
  expect(await result).toMatchObject({ token: 'a1' })
  expect(asked).toEqual([])
})

test.each([
  ['it ends within a minute', { ...SECRETS, expiresAt: String(NOW + 60_000) }, {}],
  ['it ends within the given time', SECRETS, { aheadMs: 3_600_000 }],
  ['the platform has refused it', SECRETS, { deadToken: 'a1' }],
])('the token is renewed when %s, and the refresh token is kept', async (_, secrets, more) => {
  const { asked, result } = ask(secrets, more)
  expect(await result).toEqual({
    token: 'a2',
    secrets: { accessToken: 'a2', refreshToken: 'r1', expiresAt: String(NOW + 10_000) },
    expiresAt: NOW + 10_000,
  })
  expect(asked).toEqual(['r1'])
})

test('a refresh token that comes with the answer replaces the old one', async () => {
  const { result } = ask(SECRETS, { deadToken: 'a1' }, { refresh_token: 'r2', expires_in: null })
  expect(await result).toEqual({
    token: 'a2',
    secrets: { accessToken: 'a2', refreshToken: 'r2' },
    expiresAt: null,
  })
})

test.each([
  ['is dead and cannot be renewed', { accessToken: 'a1' }, { deadToken: 'a1' }],
  ['has ended and cannot be renewed', { accessToken: 'a1', expiresAt: String(NOW) }, {}],
  ['is not there', {}, {}],
])('a token that %s is the end of the grant', async (_, secrets, more) => {
  await expect(ask(secrets, more).result).rejects.toMatchObject({ kind: 'refused' })
})
