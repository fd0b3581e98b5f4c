import { expect, test } from 'vitest'
import { png } from './media-bytes.ts'
import { redditUser, store } from './reddit.ts'
import { type TestSandbox, testSandbox } from './sandbox.ts'

const BASIC = `Basic ${Buffer.from('sandbox-app:sandbox-secret').toString('base64')}`

function askForToken(sandbox: TestSandbox, fields: Record<string, string>, authorization = BASIC) {
  return sandbox.ask('POST', '/reddit/api/v1/access_token', {
    body: new TextEncoder().encode(new URLSearchParams(fields).toString()),
    headers: {
      authorization,
      'user-agent': 'test:sandbox:v1',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
}

test('a refresh token gives new access again and again, until the grant is ended', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  const refresh_token = user.credentials['refreshToken'] ?? ''
  const refresh = () => askForToken(sandbox, { grant_type: 'refresh_token', refresh_token })
  for (const _ of [1, 2])
    expect(await refresh()).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: 86_400,
        scope: 'identity submit read flair history',
      },
    })
  await sandbox.ask('POST', '/_/tokens/revoke', {
    body: { platform: 'REDDIT', account: user.account },
  })
  expect(await refresh()).toMatchObject({
    status: 400,
    body: { message: 'Bad Request', error: 400 },
  })
})

test('a code that is not good is refused with status 200, and a wrong app with 401', async () => {
  await using sandbox = await testSandbox()
  const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://a.example' }
  expect(await askForToken(sandbox, grant)).toMatchObject({
    status: 200,
    body: { error: 'invalid_grant' },
  })
  expect((await askForToken(sandbox, grant, 'Basic eDp5')).status).toBe(401)
  expect((await askForToken(sandbox, { grant_type: 'password' })).body).toEqual({
    error: 'unsupported_grant_type',
  })
})

test('access ends after a day', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  expect((await user.call('GET', '/api/v1/me')).body).toMatchObject({
    id: user.account,
    name: 'ada',
  })
  await sandbox.advance(86_400)
  expect(await user.call('GET', '/api/v1/me')).toMatchObject({
    status: 401,
    body: { message: 'Unauthorized', error: 401 },
  })
})

test('who does not say who it is gets nothing', async () => {
  await using sandbox = await testSandbox()
  const { token } = await redditUser(sandbox)
  expect((await sandbox.ask('GET', '/reddit/api/v1/me', { token })).status).toBe(429)
})

test('the 1001st call of the app within ten minutes is refused, and headers say how many are left', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const first = await user.call('GET', '/api/v1/me')
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-used': '1',
    'x-ratelimit-remaining': '999.0',
    'x-ratelimit-reset': '600',
  })
  for (let index = 2; index <= 1000; index++) await user.call('GET', '/api/v1/me')
  expect((await user.call('GET', '/api/v1/me')).status).toBe(429)
  await sandbox.advance(600)
  expect((await user.call('GET', '/api/v1/me')).status).toBe(200)
})

test('the storage takes only what was announced, in the form that was given', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const lease = async (mimetype = 'image/png') =>
    (await user.form('/api/media/asset.json', { filepath: 'a.png', mimetype })).body.args
  expect((await user.form('/api/media/asset.json', { filepath: 'a.png' })).status).toBe(400)
  const notTaken = { filepath: 'a.webm', mimetype: 'video/webm' }
  expect((await user.form('/api/media/asset.json', notTaken)).status).toBe(400)

  const stored = await store(await lease(), png())
  expect([stored.status, await stored.text()]).toEqual([201, expect.stringContaining('<Location>')])

  const { action, fields } = await lease()
  const wrong = fields.map((field: { name: string }) =>
    field.name === 'policy' ? { ...field, value: 'another' } : field,
  )
  expect((await store({ action, fields: wrong }, png())).status).toBe(403)
  expect((await store({ action, fields: [] }, png())).status).toBe(400)

  const tooLarge = await store({ action, fields }, png(4, 3, 20 * 1024 * 1024 + 1))
  expect([tooLarge.status, await tooLarge.text()]).toEqual([
    400,
    expect.stringContaining('<Code>EntityTooLarge</Code>'),
  ])
  await sandbox.advance(3600)
  expect((await store({ action, fields }, png())).status).toBe(403)
})

test('fields after the file are not looked at', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const lease = await user.form('/api/media/asset.json', { filepath: 'a', mimetype: 'image/png' })
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(png())]), 'file')
  for (const { name, value } of lease.body.args.fields) form.append(name, value)
  const { status } = await fetch(`http:${lease.body.args.action}`, { method: 'POST', body: form })
  expect(status).toBe(400)
})

test('what was posted and uploaded outlives the process', async () => {
  const { mkdtemp, rm } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const folder = await mkdtemp(`${tmpdir()}/herald-reddit-`)
  const env = { SANDBOX_DATA_DIR: folder }
  const before = await testSandbox(env)
  const user = await redditUser(before)
  await user.submit({ text: 'Hello' })
  const [live] = await before.live()
  await before.close()
  await using after = await testSandbox(env)
  const [kept] = await after.live()
  expect({ ...kept, url: '' }).toEqual({ ...live, url: '' })
  await rm(folder, { recursive: true })
})
