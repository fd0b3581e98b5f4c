import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { xRules } from '@herald/platforms/x/rules'
import { expect, test } from 'vitest'
import { countText } from '../src/platforms/x/count-text.ts'
import { testSandbox } from './sandbox.ts'
import { xUser } from './x.ts'

test('a post is live with its text, and X shows it with short links and entities', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox, 'ada')
  const posted = await user.post({
    text: 'Fish & chips: example.com/menu, now',
    reply_settings: 'following',
  })
  expect(posted).toMatchObject({
    status: 201,
    body: {
      data: { text: expect.stringMatching(/^Fish &amp; chips: https:\/\/t\.co\/\w{10}, now$/) },
    },
  })
  const { id } = posted.body.data
  const fields = 'tweet.fields=created_at,entities,reply_settings'
  const shown = await user.ask('GET', `/2/tweets/${id}?${fields}`)
  expect(shown.body.data).toMatchObject({
    id,
    created_at: '2026-11-21T12:00:00.000Z',
    reply_settings: 'following',
    entities: { urls: [{ start: 18, end: 41, expanded_url: 'http://example.com/menu' }] },
  })
  const [live] = await sandbox.live()
  expect(live).toMatchObject({
    account: user.account,
    id,
    text: 'Fish & chips: example.com/menu, now',
  })
  expect(live.url).toBe(`${sandbox.url}/x/ada/status/${id}`)
  expect((await sandbox.ask('GET', `/x/ada/status/${id}`)).status).toBe(200)
})

test.each<[string, object, number, RegExp]>([
  ['without text or media', {}, 400, /text/],
  ['with white space alone', { text: ' \n' }, 400, /text/],
  ['of 281 characters', { text: 'x'.repeat(281) }, 403, /too long/],
  ['of 141 Chinese characters', { text: '語'.repeat(141) }, 403, /too long/],
  ['with a field that X does not know', { text: 'x', status: 'y' }, 400, /status/],
  ['with replies for nobody', { text: 'x', reply_settings: 'nobody' }, 400, /reply_settings/],
  ['with five files', { media: { media_ids: ['1', '2', '3', '4', '5'] } }, 400, /media_ids/],
  [
    'with files that do not exist',
    { text: 'x', media: { media_ids: ['1'] } },
    400,
    /Your media IDs are invalid/,
  ],
  ['with two cashtags', { text: '$AAPL $TSLA' }, 403, /cashtag/],
])('a post %s is refused', async (_, body, status, says) => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const refused = await user.post(body)
  expect(refused.status).toBe(status)
  expect(refused.headers.get('content-type')).toContain('application/problem+json')
  expect(JSON.stringify(refused.body)).toMatch(says)
  expect(refused.body).toMatchObject({
    status,
    type: expect.any(String),
    title: expect.any(String),
  })
  expect(await sandbox.live()).toEqual([])
})

test('a text that is posted again within a day is a duplicate, of the same account', async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await xUser(sandbox), await xUser(sandbox)]
  expect((await user.post({ text: 'Again' })).status).toBe(201)
  expect(await user.post({ text: 'Again' })).toMatchObject({
    status: 403,
    body: {
      detail: 'You are not allowed to create a Tweet with duplicate content.',
      type: 'about:blank',
    },
  })
  expect((await other.post({ text: 'Again' })).status).toBe(201)
  await sandbox.advance(86_400)
  const renewed = await xUser(sandbox, 'account1')
  expect((await renewed.post({ text: 'Again' })).status).toBe(201)
})

test('the timeline is the latest posts, with the fields that are asked for', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const path = `/2/users/${user.account}/tweets`
  expect((await user.ask('GET', path)).body).toEqual({ meta: { result_count: 0 } })
  const ids: string[] = []
  for (let index = 0; index < 6; index++)
    ids.unshift((await user.post({ text: `Post ${index}` })).body.data.id)
  const { body } = await user.ask('GET', `${path}?max_results=5`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 5))
  expect(body.data[0]).toEqual({ id: ids[0], text: 'Post 5', edit_history_tweet_ids: [ids[0]] })
  expect(body.meta).toEqual({ result_count: 5, newest_id: ids[0], oldest_id: ids[4] })
  expect((await user.ask('GET', `${path}?max_results=4`)).status).toBe(400)
  expect(
    (await user.ask('GET', `${path}?start_time=2026-11-21T12:00:01Z`)).body.meta.result_count,
  ).toBe(0)
})

test('the 101st post in a quarter of an hour is refused, and says until when', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  for (let index = 1; index <= 100; index++)
    expect((await user.post({ text: `Post ${index}` })).status).toBe(201)
  const refused = await user.post({ text: 'One more' })
  expect(refused).toMatchObject({ status: 429, body: { title: 'Too Many Requests' } })
  expect(refused.headers.get('x-rate-limit-limit')).toBe('100')
  expect(refused.headers.get('x-rate-limit-remaining')).toBe('0')
  expect(Number(refused.headers.get('x-rate-limit-reset')) * 1000).toBe(
    Date.parse('2026-11-21T12:15:00Z'),
  )
  await sandbox.advance(900)
  expect((await user.post({ text: 'One more' })).status).toBe(201)
})

test('accounts, tokens and posts survive a restart of what keeps them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'herald-sandbox-test-'))
  const dir = folder.path
  let token = ''
  {
    await using sandbox = await testSandbox({ SANDBOX_DATA_DIR: dir })
    const user = await xUser(sandbox)
    token = user.token
    await user.post({ text: 'Kept' })
  }
  await using sandbox = await testSandbox({ SANDBOX_DATA_DIR: dir })
  expect(await sandbox.live()).toMatchObject([{ text: 'Kept' }])
  const again = await sandbox.ask('POST', '/x/2/tweets', { token, body: { text: 'Kept' } })
  expect(again.status).toBe(403)
})

test.each([
  'Hello',
  '日本語 and English',
  'cafe\u0301',
  '👨‍👩‍👧 🇩🇪 1️⃣ 👍🏽',
  'See https://example.com/a(b)?c=d#e, example.org. And foo.invalid',
  'a@example.com @example.com #example.com',
  '“quoted” – and… ① ½',
  'http://localhost/ and https://sub.example.co.uk/x!',
  '(https://example.com/x)',
])('the sandbox counts %j as long as Herald does, by code of its own', (text) => {
  expect(countText(text)).toBe(xRules.countText(text, {}))
})
