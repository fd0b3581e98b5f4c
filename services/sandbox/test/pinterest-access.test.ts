import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { png } from './media-bytes.ts'
import { pinterestUser } from './pinterest.ts'
import { type TestSandbox, testSandbox } from './sandbox.ts'

const BASIC = `Basic ${Buffer.from('sandbox-app:sandbox-secret').toString('base64')}`
const DAY = 86_400

function askForToken(sandbox: TestSandbox, fields: Record<string, string>, authorization = BASIC) {
  return sandbox.ask('POST', '/pinterest/v5/oauth/token', {
    body: new TextEncoder().encode(new URLSearchParams(fields).toString()),
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
  })
}

test('each refresh gives another refresh token, good for 60 days, and ends the one before', async () => {
  await using sandbox = await testSandbox()
  const { credentials } = await pinterestUser(sandbox)
  const refresh = (refresh_token = '') =>
    askForToken(sandbox, { grant_type: 'refresh_token', refresh_token })
  const invalid = {
    status: 401,
    body: { code: 283, message: 'The authorization grant is invalid' },
  }
  const first = await refresh(credentials['refreshToken'])
  expect(first).toMatchObject({
    status: 200,
    body: {
      token_type: 'bearer',
      response_type: 'refresh_token',
      expires_in: 30 * DAY,
      refresh_token_expires_in: 60 * DAY,
      refresh_token_expires_at: Date.parse('2026-11-21T12:00:00Z') / 1000 + 60 * DAY,
      scope: 'user_accounts:read,boards:read,boards:write,pins:read,pins:write',
    },
  })
  expect(await refresh(credentials['refreshToken'])).toMatchObject(invalid)
  await sandbox.advance(59 * DAY)
  const second = await refresh(first.body.refresh_token)
  expect(second.status).toBe(200)
  await sandbox.advance(60 * DAY)
  expect(await refresh(second.body.refresh_token)).toMatchObject(invalid)
})

test('a code or app that is not good is refused', async () => {
  await using sandbox = await testSandbox()
  const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://a.example' }
  expect(await askForToken(sandbox, grant)).toMatchObject({ status: 401, body: { code: 283 } })
  expect(await askForToken(sandbox, grant, 'Basic eDp5')).toMatchObject({
    status: 401,
    body: { code: 2 },
  })
  expect((await askForToken(sandbox, { grant_type: 'password' })).status).toBe(400)
})

test('access ends after 30 days, and with the grant', async () => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox, 'ada')
  const me = () => user.ask('GET', '/user_account')
  expect((await me()).body).toMatchObject({ id: user.account, username: 'ada', board_count: 2 })
  const refused = { status: 401, body: { code: 2, message: 'Authentication failed.' } }
  await sandbox.advance(30 * DAY)
  expect(await me()).toMatchObject(refused)
  const again = await pinterestUser(sandbox, 'ada')
  expect(again.account).toBe(user.account)
  const grant = { platform: 'PINTEREST', account: user.account }
  await sandbox.ask('POST', '/_/tokens/revoke', { body: grant })
  expect(await again.ask('GET', '/user_account')).toMatchObject(refused)
})

test('the 301st call that writes within a minute is refused', async () => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox)
  const write = () => user.ask('POST', '/media', { media_type: 'video' })
  const first = await write()
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-limit': '300',
    'x-ratelimit-remaining': '299',
    'x-ratelimit-reset': '60',
  })
  for (let index = 2; index <= 300; index++) await write()
  expect(await write()).toMatchObject({ status: 429, body: { code: 8 } })
  await sandbox.advance(60)
  expect((await write()).status).toBe(201)
})

test('what was pinned and uploaded outlives the process', async () => {
  const folder = await mkdtemp(`${tmpdir()}/herald-pinterest-`)
  const env = { SANDBOX_DATA_DIR: folder }
  const before = await testSandbox(env)
  const user = await pinterestUser(before)
  const item = { content_type: 'image/png', data: png().toString('base64') }
  await user.pin({ source_type: 'image_base64', ...item })
  const [{ id, media }] = await before.live()
  await before.close()
  await using after = await testSandbox(env)
  const [kept] = await after.live()
  expect(kept).toMatchObject({ id, media: [{ sha256: media[0].sha256 }] })
  expect((await fetch(kept.media[0].url)).status).toBe(200)
  await rm(folder, { recursive: true })
})
