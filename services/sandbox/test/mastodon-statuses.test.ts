import { describe, expect, test } from 'vitest'
import { startSandbox, toot } from './sandbox.ts'

const LINK = `https://example.com/${'a'.repeat(80)}`

describe('the length of a status', () => {
  test.each([
    ['500 letters', { status: 'a'.repeat(500) }],
    ['500 emoji of several code points', { status: '👩‍👩‍👧‍👦'.repeat(500) }],
    ['477 characters and a link of any length', { status: `${'a'.repeat(476)} ${LINK}` }],
    ['the host of a mention on top of 500', { status: `@jo@example.com ${'a'.repeat(496)}` }],
    ['500 with the content warning', { status: 'a'.repeat(400), spoiler_text: 'b'.repeat(100) }],
  ])('%s fits', async (_, body) => {
    const sandbox = await startSandbox()
    expect((await toot(sandbox, await sandbox.mastodon(), body)).status).toBe(200)
  })

  test.each([
    ['501 letters', { status: 'a'.repeat(501) }],
    ['478 characters and a link', { status: `${'a'.repeat(477)} ${LINK}` }],
    ['501 with the content warning', { status: 'a'.repeat(401), spoiler_text: 'b'.repeat(100) }],
  ])('%s are refused and nothing is live', async (_, body) => {
    const sandbox = await startSandbox()
    const { status, body: said } = await toot(sandbox, await sandbox.mastodon(), body)
    expect(status).toBe(422)
    expect(said).toEqual({ error: 'Validation failed: Text character limit of 500 exceeded' })
    expect(await sandbox.live()).toEqual([])
  })
})

describe('a status', () => {
  test('without a text is refused', async () => {
    const sandbox = await startSandbox()
    const { status, body } = await toot(sandbox, await sandbox.mastodon(), { status: '  \n ' })
    expect(status).toBe(422)
    expect(body).toEqual({ error: "Validation failed: Text can't be blank" })
  })

  test('is taken from a form as from JSON', async () => {
    const sandbox = await startSandbox()
    const body = new URLSearchParams({ status: 'From a form', sensitive: 'true' })
    const reply = await toot(sandbox, await sandbox.mastodon(), body)
    expect(reply.body).toMatchObject({ content: '<p>From a form</p>', sensitive: true })
  })

  test('is shown as HTML: escaped, in paragraphs, with its links whole but shortened for the eye', async () => {
    const sandbox = await startSandbox()
    const status =
      'a <b> & "c"\nnext\n\nhttps://www.example.com/0123456789/0123456789/0123456789?a=1&b=2.'
    const { body } = await toot(sandbox, await sandbox.mastodon(), { status })
    expect(body.content).toBe(
      '<p>a &lt;b&gt; &amp; &quot;c&quot;<br />next</p><p><a href="https://www.example.com/0123456789/0123456789/0123456789?a=1&amp;b=2" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">https://www.</span><span class="ellipsis">example.com/0123456789/0123456</span><span class="invisible">789/0123456789?a=1&amp;b=2</span></a>.</p>',
    )
  })

  test('keeps the text as it was written in what is reported as live', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    const status = 'See https://example.com/?a=1&b=2 <3'
    const { body } = await toot(sandbox, account, { status })
    expect(await sandbox.live(`?account=${account.account}`)).toMatchObject([
      {
        platform: 'MASTODON',
        account: account.account,
        id: body.id,
        url: body.url,
        text: status,
        media: [],
      },
    ])
  })

  test('needs a good token and the scope to write', async () => {
    const sandbox = await startSandbox()
    const nobody = await toot(sandbox, { headers: {} }, { status: 'x' })
    const wrong = await toot(
      sandbox,
      { headers: { authorization: 'Bearer wrong' } },
      { status: 'x' },
    )
    for (const { status, body } of [nobody, wrong]) {
      expect(status).toBe(401)
      expect(body).toEqual({ error: 'The access token is invalid' })
    }
    expect(await sandbox.requests()).toMatchObject([
      { account: null, applied: false },
      { account: null, applied: false },
    ])
  })
})

describe('an Idempotency-Key', () => {
  test('makes a repeat the same status within an hour, and the repeat does not count as applied', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    const first = await toot(sandbox, account, { status: 'Once' }, 'key')
    await sandbox.advance(3590)
    const second = await toot(sandbox, account, { status: 'Once, again' }, 'key')
    expect(second.body).toMatchObject({ id: first.body.id, content: '<p>Once</p>' })
    expect(await sandbox.live()).toHaveLength(1)
    expect(await sandbox.requests()).toMatchObject([{ applied: true }, { applied: false }])
  })

  test('is forgotten after an hour', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    await toot(sandbox, account, { status: 'Once' }, 'key')
    await sandbox.advance(3600)
    await toot(sandbox, account, { status: 'Once' }, 'key')
    expect(await sandbox.live()).toHaveLength(2)
  })

  test('of another account is another key', async () => {
    const sandbox = await startSandbox()
    for (const account of [await sandbox.mastodon(), await sandbox.mastodon()])
      await toot(sandbox, account, { status: 'Mine' }, 'key')
    expect(await sandbox.live()).toHaveLength(2)
  })

  test('of a refused status is not remembered', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    await toot(sandbox, account, { status: '' }, 'key')
    expect((await toot(sandbox, account, { status: 'Now' }, 'key')).status).toBe(200)
  })
})

describe('the statuses of an account', () => {
  async function three() {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    const ids: string[] = []
    for (const status of ['one', 'two', 'three'])
      ids.push((await toot(sandbox, account, { status })).body.id)
    const list = async (query: string) => {
      const path = `/mastodon/api/v1/accounts/${account.account}/statuses?${query}`
      return (await sandbox.ask('GET', path, account)).body.map(({ id }: { id: string }) =>
        ids.indexOf(id),
      )
    }
    return { sandbox, account, ids, list }
  }

  test('are listed newest first, in pages by id', async () => {
    const { list, ids } = await three()
    expect(await list('')).toEqual([2, 1, 0])
    expect(await list('limit=2')).toEqual([2, 1])
    expect(await list(`max_id=${ids[2]}&limit=1`)).toEqual([1])
    expect(await list(`since_id=${ids[0]}&limit=1`)).toEqual([2])
    expect(await list(`min_id=${ids[0]}&limit=1`)).toEqual([1])
  })

  test('can leave out replies to others, not those to oneself', async () => {
    const { sandbox, account, ids, list } = await three()
    const other = await sandbox.mastodon()
    const theirs = await toot(sandbox, other, { status: 'theirs' })
    await toot(sandbox, account, { status: 'to them', in_reply_to_id: theirs.body.id })
    const own = await toot(sandbox, account, { status: 'to me', in_reply_to_id: ids[0] })
    ids.push(own.body.id)
    expect(await list('exclude_replies=true')).toEqual([3, 2, 1, 0])
    expect(await list('')).toHaveLength(5)
  })

  test('that are private are seen by their author alone', async () => {
    const { sandbox, account, list } = await three()
    const { body } = await toot(sandbox, account, { status: 'psst', visibility: 'private' })
    const path = `/mastodon/api/v1/statuses/${body.id}`
    expect(await list('')).toHaveLength(4)
    expect((await sandbox.ask('GET', path, account)).status).toBe(200)
    expect((await sandbox.ask('GET', path)).status).toBe(404)
  })
})

test('after 300 calls in 5 minutes an account has to wait until the time in the header', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.mastodon()
  const verify = () => sandbox.ask('GET', '/mastodon/api/v1/accounts/verify_credentials', account)
  // A window may end in between: 300 calls in a window that has just begun.
  const reset = (await verify()).headers.get('x-ratelimit-reset') ?? ''
  await sandbox.advance(Math.max(1, (Date.parse(reset) - Date.now()) / 1000 + 1))
  for (let call = 1; call < 300; call += 1) await verify()
  expect((await verify()).headers.get('x-ratelimit-remaining')).toBe('0')
  const { status, headers } = await toot(sandbox, account, { status: 'Too many' })
  expect(status).toBe(429)
  expect(headers.get('x-ratelimit-limit')).toBe('300')
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{4}-.*Z$/)
  await sandbox.advance(300)
  expect((await toot(sandbox, account, { status: 'Now' })).status).toBe(200)
})

test('the instance states its limits in both versions', async () => {
  const sandbox = await startSandbox()
  for (const version of ['v1', 'v2']) {
    const { body } = await sandbox.ask('GET', `/mastodon/api/${version}/instance`)
    expect(body.configuration).toMatchObject({
      statuses: { max_characters: 500, max_media_attachments: 4, characters_reserved_per_url: 23 },
      media_attachments: { image_size_limit: 16_777_216, video_size_limit: 103_809_024 },
    })
  }
})
