import { expect, test } from 'vitest'
import { skeet, startSandbox, toot } from './sandbox.ts'

const EVIL = '<script>alert(1)</script> & "quotes"'
const SHOWN = '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;'

test('every live post has a page at the address that is reported, with its text escaped', async () => {
  const sandbox = await startSandbox()
  await toot(sandbox, await sandbox.mastodon(), { status: EVIL })
  await skeet(sandbox, await sandbox.bluesky(), { text: EVIL })
  for (const { url } of await sandbox.live()) {
    const page = await fetch(url)
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain(SHOWN)
    expect(html).not.toContain('<script>alert')
  }
})

test('there is no page of a post that is not there, private, or of somebody else', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.mastodon('harbour')
  const { body } = await toot(sandbox, account, { status: 'psst', visibility: 'private' })
  const open = await toot(sandbox, account, { status: 'open' })
  const paths = [
    '/mastodon/@harbour/1',
    `/mastodon/@harbour/${body.id}`,
    `/mastodon/@other/${open.body.id}`,
    '/bluesky/profile/nobody.test/post/3k',
  ]
  for (const path of paths) expect((await sandbox.ask('GET', path)).status).toBe(404)
})

test('the timeline shows what is live and which faults are armed, escaped and without anything from elsewhere', async () => {
  const sandbox = await startSandbox()
  await toot(sandbox, await sandbox.mastodon(), { status: EVIL })
  await sandbox.control('/faults', {
    platform: 'BLUESKY',
    account: EVIL,
    kind: 'hang_after',
    times: 3,
  })
  const { text, headers } = await sandbox.ask('GET', '/')
  expect(text.split(SHOWN)).toHaveLength(3)
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('hang_after')
  expect(text).not.toMatch(/<(?:link|img|script)[^>]+(?:src|href)=/)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
})
