import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { mastodonUser } from './mastodon.ts'
import { png } from './media-bytes.ts'
import { type Json, request, testSandbox } from './sandbox.ts'

const test = base.extend<{ dataDir: string }>({
  dataDir: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

test('accounts, tokens, files, posts, requests and the clock survive a restart', async ({
  dataDir,
}) => {
  const env = { SANDBOX_DATA_DIR: dataDir }
  const first = await testSandbox(env)
  const [mastodon, bluesky] = [await mastodonUser(first), await blueskyUser(first)]
  const media = (await mastodon.upload(png())).body
  await mastodon.post({ status: 'Kept', media_ids: [media.id] }, 'key')
  const { blob } = (await bluesky.upload(png())).body
  await bluesky.post('Kept too')
  await first.advance(60)
  const before = [await first.live(), await first.requests()]
  await first.close()

  await using second = await testSandbox(env)
  const ask = (path: string, token: string, body?: unknown) =>
    request(body === undefined ? 'GET' : 'POST', `${second.url}${path}`, { token, body })
  const after = JSON.stringify([await second.live(), await second.requests()])
  expect(after).toBe(JSON.stringify(before).replaceAll(first.url, second.url))
  expect((await second.ask('GET', '/_/clock')).body).toEqual({ now: '2026-11-21T12:01:00.000Z' })
  const again = await request('POST', `${second.url}/mastodon/api/v1/statuses`, {
    token: mastodon.token,
    body: { status: 'Kept' },
    headers: { 'idempotency-key': 'key' },
  })
  expect(again.status).toBe(200)
  expect((await second.live()).length).toBe(2)
  const record = {
    text: 'With the file of before',
    createdAt: '2026-11-21T12:01:00Z',
    embed: { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: '' }] },
  }
  const posted = await ask('/bluesky/xrpc/com.atproto.repo.createRecord', bluesky.token, {
    repo: bluesky.did,
    collection: 'app.bsky.feed.post',
    record,
  })
  expect(posted.status).toBe(200)
  const file = await fetch(`${second.url}/mastodon/system/media_attachments/${media.id}`)
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png())
})

test('a post is in the ledger before the client hears of it', async ({ dataDir }) => {
  await using sandbox = await testSandbox({ SANDBOX_DATA_DIR: dataDir })
  const user = await mastodonUser(sandbox)
  const { id } = (await user.post({ status: 'Written' })).body
  expect(await readFile(join(dataDir, 'ledger.jsonl'), 'utf8')).toContain(`"id":"${id}"`)
})

test('a line that was cut off by a crash is dropped, and what follows is kept', async ({
  dataDir,
}) => {
  const env = { SANDBOX_DATA_DIR: dataDir }
  const first = await testSandbox(env)
  const user = await mastodonUser(first)
  await user.post({ status: 'Whole' })
  await first.close()
  await appendFile(join(dataDir, 'ledger.jsonl'), '{"part":"MASTODON","event":{"type":"status-pos')
  const second = await testSandbox(env)
  expect((await second.live()).length).toBe(1)
  await mastodonUser(second)
  await second.close()
  await using third = await testSandbox(env)
  expect((await third.ask('GET', '/_/accounts')).body.data.length).toBe(2)
})

test('a reset forgets everything, and a restart does not bring it back', async ({ dataDir }) => {
  const env = { SANDBOX_DATA_DIR: dataDir }
  const first = await testSandbox(env)
  const [mastodon, bluesky] = [await mastodonUser(first), await blueskyUser(first)]
  await mastodon.post({ status: 'Gone' })
  await first.fault({ platform: 'MASTODON', kind: 'slow', times: 1 })
  await first.advance(60)
  expect((await first.ask('POST', '/_/reset')).status).toBe(204)
  for (const path of ['posts', 'requests', 'faults', 'accounts'])
    expect((await first.ask('GET', `/_/${path}`)).body).toEqual({ data: [] })
  expect((await first.ask('GET', '/_/clock')).body).toEqual({ now: '2026-11-21T12:00:00.000Z' })
  expect((await mastodon.post({ status: 'x' })).status).toBe(401)
  expect((await bluesky.post('x')).body.error).toBe('InvalidToken')
  await (await mastodonUser(first)).post({ status: 'Anew' })
  await first.close()
  await using second = await testSandbox(env)
  expect((await second.live()).map((post: Json) => post.text)).toEqual(['Anew'])
})
