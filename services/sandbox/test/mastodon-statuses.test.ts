import { describe, expect, test } from 'vitest'
import { mastodonUser } from './mastodon.ts'
import { type Json, testSandbox } from './sandbox.ts'

describe('a status', () => {
  test('is answered, listed, readable and on a public page', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox, 'writer')
    const made = await user.post({ status: 'Hello <world> & https://www.example.com/a #Herald' })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      visibility: 'public',
      created_at: '2026-11-21T12:00:00.000Z',
      url: `${sandbox.url}/mastodon/@writer/${made.body.id}`,
      account: { id: user.account, acct: 'writer' },
    })
    expect(made.body.content).toContain('<p>Hello &lt;world&gt; &amp; <a href=')
    expect((await user.ask('GET', `/api/v1/statuses/${made.body.id}`)).body).toEqual(made.body)
    expect((await sandbox.ask('GET', new URL(made.body.url).pathname)).body).toContain(
      '&lt;world&gt;',
    )
    expect(await sandbox.live()).toEqual([
      {
        platform: 'MASTODON',
        account: user.account,
        id: made.body.id,
        url: made.body.url,
        text: 'Hello <world> & https://www.example.com/a #Herald',
        media: [],
        at: '2026-11-21T12:00:00.000Z',
      },
    ])
  })

  test.each([
    ['500 letters', 'x'.repeat(500)],
    ['500 families, each one character to a person', '👨‍👩‍👧‍👦'.repeat(500)],
    [
      '477 letters and a long link, which counts as 23',
      `${'x'.repeat(476)} https://example.com/${'p'.repeat(200)}`,
    ],
    ['a mention whose host does not count', `${'x'.repeat(494)} @user@very.long.host.example.com`],
    [
      'a link with brackets and a full stop after it',
      `${'x'.repeat(475)} https://example.com/a_(b).`,
    ],
  ])('of %s is taken, and with one more is not', async (_, text) => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    expect((await user.post({ status: text })).status).toBe(200)
    const refused = await user.post({ status: `y${text}` })
    expect(refused.status).toBe(422)
    expect(refused.body).toEqual({
      error: 'Validation failed: Text character limit of 500 exceeded',
    })
    expect((await sandbox.live()).length).toBe(1)
  })

  test('counts its warning too', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const fits = { status: 'x'.repeat(450), spoiler_text: 'w'.repeat(50) }
    expect((await user.post(fits)).body).toMatchObject({ sensitive: true })
    expect((await user.post({ ...fits, spoiler_text: 'w'.repeat(51) })).status).toBe(422)
  })

  test('with nothing to say is refused', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    expect(await user.post({ status: ' \n ' })).toMatchObject({
      status: 422,
      body: { error: "Validation failed: Text can't be blank" },
    })
  })

  test('can be sent as a form', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const answer = await fetch(`${sandbox.url}/mastodon/api/v1/statuses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}` },
      body: new URLSearchParams({ status: 'By form', visibility: 'unlisted' }),
    })
    expect(await answer.json()).toMatchObject({ content: '<p>By form</p>', visibility: 'unlisted' })
  })

  test('that is private is seen by its owner alone', async () => {
    await using sandbox = await testSandbox()
    const [owner, other] = [await mastodonUser(sandbox), await mastodonUser(sandbox)]
    const { body } = await owner.post({ status: 'Secret', visibility: 'private' })
    const path = `/api/v1/statuses/${body.id}`
    expect((await owner.ask('GET', path)).status).toBe(200)
    expect(await other.ask('GET', path)).toMatchObject({
      status: 404,
      body: { error: 'Record not found' },
    })
    expect((await sandbox.ask('GET', new URL(body.url).pathname)).status).toBe(404)
    expect((await owner.post({ status: 'x', visibility: 'nobody' })).body).toEqual({
      error: 'Validation failed: Visibility is not included in the list',
    })
  })
})

describe('an Idempotency-Key', () => {
  test('answers a repeat with the first status for an hour, whatever the repeat says', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    const first = await user.post({ status: 'Once' }, 'key')
    await sandbox.advance(3599)
    const again = await user.post({ status: 'Other words' }, 'key')
    expect(again.body).toEqual(first.body)
    expect((await sandbox.live()).length).toBe(1)
    expect((await sandbox.requests()).map((one: Json) => [one.key, one.applied])).toEqual([
      ['key', true],
      ['key', false],
    ])
  })

  test('is forgotten after an hour', async () => {
    await using sandbox = await testSandbox()
    const user = await mastodonUser(sandbox)
    await user.post({ status: 'Once' }, 'key')
    await sandbox.advance(3600)
    await user.post({ status: 'Once' }, 'key')
    expect((await sandbox.live()).length).toBe(2)
  })

  test('belongs to one account, and is not used up by a refusal', async () => {
    await using sandbox = await testSandbox()
    const [one, other] = [await mastodonUser(sandbox), await mastodonUser(sandbox)]
    expect((await one.post({ status: '' }, 'key')).status).toBe(422)
    await one.post({ status: 'Same' }, 'key')
    await other.post({ status: 'Same' }, 'key')
    expect((await sandbox.live()).map((post: Json) => post.account)).toEqual([
      one.account,
      other.account,
    ])
  })
})

test('the statuses of an account are paged by id, newest first', async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await mastodonUser(sandbox), await mastodonUser(sandbox)]
  const ids: string[] = []
  for (const status of ['a', 'b', 'c', 'd']) ids.push((await user.post({ status })).body.id)
  const [a, b, c, d] = ids
  const list = async (query: string) => {
    const { body } = await user.ask('GET', `/api/v1/accounts/${user.account}/statuses?${query}`)
    return body.map(({ id }: { id: string }) => id)
  }
  expect(await list('limit=2')).toEqual([d, c])
  expect(await list(`max_id=${c}`)).toEqual([b, a])
  expect(await list(`since_id=${a}&limit=1`)).toEqual([d])
  expect(await list(`min_id=${a}&limit=1`)).toEqual([b])
  const { body: theirs } = await other.post({ status: 'theirs' })
  await user.post({ status: 'reply', in_reply_to_id: theirs.id })
  expect(await list('exclude_replies=true&limit=1')).toEqual([d])
  const page = await user.ask('GET', `/api/v1/accounts/${user.account}/statuses?limit=2`)
  expect(page.headers.get('link')).toMatch(/max_id=\d+>; rel="next", <.*min_id=\d+>; rel="prev"/)
})

test('an instance tells its limits, in both versions', async () => {
  await using sandbox = await testSandbox()
  for (const version of ['v1', 'v2']) {
    const { body } = await sandbox.ask('GET', `/mastodon/api/${version}/instance`)
    expect(body.configuration.statuses).toEqual({
      max_characters: 500,
      max_media_attachments: 4,
      characters_reserved_per_url: 23,
    })
    expect(body.configuration.media_attachments).toMatchObject({
      image_size_limit: 16_777_216,
      video_size_limit: 103_809_024,
    })
  }
})

test('the 301st call in five minutes is refused, with the limits in the headers of every answer', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const first = await user.post({ status: 'first' })
  expect(first.headers.get('x-ratelimit-limit')).toBe('300')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('299')
  expect(first.headers.get('x-ratelimit-reset')).toBe('2026-11-21T12:05:00.000000Z')
  for (let call = 2; call <= 300; call++)
    await user.ask('GET', '/api/v1/accounts/verify_credentials')
  const refused = await user.post({ status: 'too much' })
  expect(refused.status).toBe(429)
  expect(refused.body).toEqual({ error: 'Too many requests' })
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  await sandbox.advance(300)
  expect((await user.post({ status: 'later' })).status).toBe(200)
  expect((await sandbox.live()).length).toBe(2)
})

test('limits that are switched off refuse nothing', async () => {
  await using sandbox = await testSandbox({ SANDBOX_RATE_LIMITS: 'off' })
  const user = await mastodonUser(sandbox)
  for (let call = 1; call <= 301; call++)
    expect((await user.ask('GET', '/api/v1/accounts/verify_credentials')).status).toBe(200)
})

test('an account is found by its name', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox, 'writer')
  expect((await user.ask('GET', '/api/v1/accounts/lookup?acct=writer')).body.id).toBe(user.account)
  expect((await user.ask('GET', '/api/v1/accounts/lookup?acct=nobody')).status).toBe(404)
})
