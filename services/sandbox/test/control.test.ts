import { describe, expect, test } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { mastodonUser } from './mastodon.ts'
import { mp4, png } from './media-bytes.ts'
import { type Json, testSandbox } from './sandbox.ts'

test('a new account comes with what it takes to connect it', async () => {
  await using sandbox = await testSandbox()
  const make = async (platform: string) =>
    sandbox.ask('POST', '/_/accounts', { body: { platform, username: 'writer' } })
  const mastodon = await make('MASTODON')
  expect(mastodon.status).toBe(201)
  expect(mastodon.body).toEqual({
    platform: 'MASTODON',
    account: expect.stringMatching(/^\d+$/),
    baseUrl: `${sandbox.url}/mastodon`,
    credentials: { accessToken: expect.any(String) },
  })
  expect((await make('BLUESKY')).body).toEqual({
    platform: 'BLUESKY',
    account: expect.stringMatching(/^did:plc:/),
    baseUrl: `${sandbox.url}/bluesky`,
    credentials: { identifier: 'writer.sandbox.test', appPassword: expect.any(String) },
  })
})

describe('bad input is refused with 422 and the error envelope', () => {
  test.each([
    ['POST', '/_/accounts', {}],
    ['POST', '/_/accounts', { platform: 'FRIENDSTER' }],
    ['POST', '/_/accounts', { platform: 'mastodon' }],
    ['POST', '/_/accounts', { platform: 'MASTODON', username: '../x' }],
    ['POST', '/_/accounts', undefined],
    ['POST', '/_/faults', { platform: 'MASTODON', kind: 'explode', times: 1 }],
    ['POST', '/_/faults', { platform: 'MASTODON', kind: 'slow', times: 0 }],
    ['POST', '/_/faults', { platform: 'MASTODON', kind: 'slow', times: 1, on: 'page' }],
    ['POST', '/_/faults', { platform: 'MASTODON', kind: 'slow', times: 1, account: 'nobody' }],
    ['POST', '/_/tokens/revoke', { platform: 'MASTODON', account: 'nobody' }],
    ['POST', '/_/clock', { advanceSeconds: -1 }],
    ['GET', '/_/posts?platform=NOWHERE', undefined],
    ['GET', '/_/requests?platfrom=MASTODON', undefined],
    ['GET', '/_/uploads?platfrom=MASTODON', undefined],
  ])('%s %s %o', async (method, path, body) => {
    await using sandbox = await testSandbox()
    const answer = await sandbox.ask(method, path, { body })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      error: { code: 'validation_failed', message: expect.any(String) },
    })
  })
})

test('what is live and what was received is told by platform and account, oldest first', async () => {
  await using sandbox = await testSandbox()
  const bluesky = await blueskyUser(sandbox)
  await bluesky.post('First')
  await sandbox.advance(1)
  const [one, other] = [await mastodonUser(sandbox), await mastodonUser(sandbox)]
  await one.post({ status: 'Second' })
  await sandbox.advance(1)
  await other.post({ status: 'Third' })
  const texts = async (query: string) => (await sandbox.live(query)).map((post: Json) => post.text)
  expect(await texts('')).toEqual(['First', 'Second', 'Third'])
  expect(await texts('?platform=MASTODON')).toEqual(['Second', 'Third'])
  expect(await texts(`?platform=MASTODON&account=${other.account}`)).toEqual(['Third'])
  expect(await sandbox.requests(`?account=${bluesky.did}`)).toEqual([
    {
      platform: 'BLUESKY',
      account: bluesky.did,
      method: 'POST',
      path: '/xrpc/com.atproto.repo.createRecord',
      key: null,
      at: '2026-11-21T12:00:00.000Z',
      fault: null,
      status: 200,
      applied: true,
      postId: expect.stringMatching(/^at:/),
    },
  ])
})

test('every upload of a file is told, with the fault it met and whether the platform has the file', async () => {
  await using sandbox = await testSandbox()
  const [mastodon, bluesky] = [await mastodonUser(sandbox), await blueskyUser(sandbox)]
  const picture = png()
  const fault = { platform: 'MASTODON', kind: 'error_before', times: 1, on: 'media' }
  await sandbox.fault(fault)
  await mastodon.upload(picture)
  const { id } = (await mastodon.upload(picture)).body
  await mastodon.ask('GET', `/api/v1/media/${id}`)
  await bluesky.upload(picture)
  const at = { at: '2026-11-21T12:00:00.000Z', sizeBytes: expect.any(Number) }
  const whose = { platform: 'MASTODON', account: mastodon.account }
  expect(await sandbox.uploads(`?account=${mastodon.account}`)).toEqual([
    { ...whose, ...at, fault: 'error_before', status: 500, applied: false },
    { ...whose, ...at, fault: null, status: 200, applied: true },
  ])
  expect(await sandbox.uploads('?platform=BLUESKY')).toEqual([
    {
      platform: 'BLUESKY',
      account: bluesky.did,
      ...at,
      sizeBytes: picture.length,
      fault: null,
      status: 200,
      applied: true,
    },
  ])
})

test('a commit without a good token is received but applied to nobody', async () => {
  await using sandbox = await testSandbox()
  await sandbox.ask('POST', '/mastodon/api/v1/statuses', { token: 'none', body: { status: 'x' } })
  expect(await sandbox.requests()).toMatchObject([{ account: null, applied: false, status: 401 }])
})

test('platforms tell the time of the sandbox in the Date header', async () => {
  await using sandbox = await testSandbox()
  await sandbox.advance(3600)
  const { headers } = await sandbox.ask('GET', '/mastodon/api/v2/instance')
  expect(headers.get('date')).toBe('Sat, 21 Nov 2026 13:00:00 GMT')
})

test('the page shows what is live and the armed faults, and lets no text become markup', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  await user.post({ status: '<script>alert(1)</script>' })
  await sandbox.fault({ platform: 'MASTODON', kind: 'slow', times: 3 })
  for (const path of ['/', '/_changing']) {
    const { body } = await sandbox.ask('GET', path)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).not.toContain('<script>alert')
    expect(body).toMatch(/<b>slow<\/b> on commit, 3 left/)
  }
  const { headers } = await sandbox.ask('GET', '/')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect((await sandbox.ask('GET', '/_page.js')).body).toContain("ask('POST', '/_/faults'")
})

test('the page shows the pictures and videos of a post with what describes them', async () => {
  await using sandbox = await testSandbox()
  const [mastodon, bluesky] = [await mastodonUser(sandbox), await blueskyUser(sandbox)]
  const picture = (await mastodon.upload(png(40, 30), 'A "harbour"')).body
  await mastodon.post({ media_ids: [picture.id] })
  const { blob: video } = (await bluesky.upload(mp4())).body
  await bluesky.post('', { embed: { $type: 'app.bsky.embed.video', video } })
  const page = (await sandbox.ask('GET', '/')).body
  expect(page).toContain(`src="${picture.url}" alt="A &quot;harbour&quot;"`)
  expect(page).toContain('image/png, 40 × 30, 64 bytes: A &quot;harbour&quot;')
  expect(page).toMatch(/<video controls preload="metadata" src="[^"]+bafkrei[^"]+">/)
})

test('the sandbox is healthy once it listens', async () => {
  await using sandbox = await testSandbox()
  expect(await sandbox.ask('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  })
})

test('addresses follow the name the sandbox is given', async () => {
  await using sandbox = await testSandbox({ SANDBOX_PUBLIC_URL: 'https://sandbox.example/' })
  expect(sandbox.url).toBe('https://sandbox.example')
})
