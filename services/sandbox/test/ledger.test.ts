import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { skeet, startSandbox, tempFolder, toot } from './sandbox.ts'

test('accounts, tokens, posts, requests and the clock survive a restart', async () => {
  const SANDBOX_DATA_DIR = await tempFolder()
  const before = await startSandbox({ SANDBOX_DATA_DIR })
  const [toots, skeets] = [await before.mastodon(), await before.bluesky()]
  await before.advance(60)
  const first = await toot(before, toots, { status: 'Kept' }, 'key')
  await skeet(before, skeets, { text: 'Kept too' }, { rkey: '3kkept' })
  const [live, requests] = [await before.live(), await before.requests()]
  await before.close()

  const after = await startSandbox({ SANDBOX_DATA_DIR })
  const moved = (post: { url: string }) => ({
    ...post,
    url: post.url.replace(before.url, after.url),
  })
  expect(await after.live()).toEqual(live.map(moved))
  expect(await after.requests()).toEqual(requests)
  expect((await toot(after, toots, { status: 'Kept' }, 'key')).body.id).toBe(first.body.id)
  expect((await skeet(after, skeets, { text: 'New' })).status).toBe(200)
  expect((await skeet(after, skeets, { text: 'Twice' }, { rkey: '3kkept' })).status).toBe(500)
  expect(Date.parse((await after.live()).at(-1).at)).toBeGreaterThan(Date.now() + 30_000)
})

test('a revoked token is revoked after a restart, too', async () => {
  const SANDBOX_DATA_DIR = await tempFolder()
  const before = await startSandbox({ SANDBOX_DATA_DIR })
  const account = await before.mastodon()
  await before.control('/tokens/revoke', { platform: 'MASTODON', account: account.account })
  await before.close()
  const after = await startSandbox({ SANDBOX_DATA_DIR })
  expect((await toot(after, account, { status: 'x' })).status).toBe(401)
})

test('what a commit does is one line, and a line that was cut off did not happen', async () => {
  const SANDBOX_DATA_DIR = await tempFolder()
  const file = join(SANDBOX_DATA_DIR, 'ledger.jsonl')
  const before = await startSandbox({ SANDBOX_DATA_DIR })
  const account = await before.mastodon()
  const lines = async () => (await readFile(file, 'utf8')).split('\n').length
  const count = await lines()
  await toot(before, account, { status: 'Whole' }, 'key')
  expect(await lines()).toBe(count + 1)
  await before.close()
  await appendFile(file, '[{"table":"mastodon.statuses","id":"9","ro')

  const middle = await startSandbox({ SANDBOX_DATA_DIR })
  expect(await middle.live()).toMatchObject([{ text: 'Whole' }])
  await toot(middle, account, { status: 'Next' })
  await middle.close()
  const after = await startSandbox({ SANDBOX_DATA_DIR })
  expect(await after.live()).toMatchObject([{ text: 'Whole' }, { text: 'Next' }])
})

test('a reset forgets everything, for good', async () => {
  const SANDBOX_DATA_DIR = await tempFolder()
  const before = await startSandbox({ SANDBOX_DATA_DIR })
  const account = await before.mastodon()
  await toot(before, account, { status: 'Gone' })
  await before.control('/faults', { platform: 'MASTODON', kind: 'slow', times: 1 })
  await before.control('/reset', undefined)
  expect([await before.live(), await before.requests()]).toEqual([[], []])
  expect((await before.ask('GET', '/_/faults')).body.data).toEqual([])
  expect((await toot(before, account, { status: 'x' })).status).toBe(401)
  await before.close()
  const after = await startSandbox({ SANDBOX_DATA_DIR })
  expect(await after.live()).toEqual([])
  expect((await skeet(after, await after.bluesky(), { text: 'Anew' })).status).toBe(200)
})

test('without a folder everything ends with the process', async () => {
  const before = await startSandbox()
  await toot(before, await before.mastodon(), { status: 'Gone' })
  await before.close()
  expect(await (await startSandbox()).live()).toEqual([])
})
