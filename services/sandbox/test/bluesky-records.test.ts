import { describe, expect, test } from 'vitest'
import { blueskyUser, CREATED_AT, POSTS } from './bluesky.ts'
import { type Json, testSandbox } from './sandbox.ts'

const RKEY = '3m5zcwlwy5s2a'
const record = (text: string, more = {}) => ({ text, createdAt: CREATED_AT, ...more })

function invalid(message: string) {
  return { status: 400, body: { error: 'InvalidRequest', message } }
}

describe('a post', () => {
  test('is answered, readable, listed and on a public page', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox, 'writer')
    const made = await user.create(record('Hello <world>', { langs: ['en'] }), RKEY)
    const uri = `at://${user.did}/${POSTS}/${RKEY}`
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      uri,
      cid: expect.stringMatching(/^bafyrei[a-z2-7]{52}$/),
      commit: { cid: expect.any(String), rev: expect.stringMatching(/^[2-7a-z]{13}$/) },
      validationStatus: 'valid',
    })
    expect((await user.get(RKEY)).body).toEqual({
      uri,
      cid: made.body.cid,
      value: { $type: POSTS, text: 'Hello <world>', createdAt: CREATED_AT, langs: ['en'] },
    })
    const [live] = await sandbox.live()
    expect(live).toEqual({
      platform: 'BLUESKY',
      account: user.did,
      id: uri,
      url: `${sandbox.url}/bluesky/profile/writer.sandbox.test/post/${RKEY}`,
      text: 'Hello <world>',
      media: [],
      at: '2026-11-21T12:00:00.000Z',
    })
    expect((await sandbox.ask('GET', new URL(live.url).pathname)).body).toContain(
      'Hello &lt;world&gt;',
    )
  })

  test('of 300 graphemes is taken, and of 301 is not', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    expect((await user.post('👍🏽'.repeat(300))).status).toBe(200)
    expect(await user.post('👍🏽'.repeat(301))).toMatchObject(
      invalid('grapheme too big (maximum 300, got 301) at $.record.text'),
    )
    expect((await sandbox.live()).length).toBe(1)
  })

  test('of 3000 bytes is taken, and of 3001 is not', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const text = '👨‍👩‍👧‍👦'.repeat(120)
    expect(Buffer.byteLength(text)).toBe(3000)
    expect((await user.post(text)).status).toBe(200)
    expect(await user.post(`${text}x`)).toMatchObject(
      invalid('string too big (maximum 3000, got 3001) at $.record.text'),
    )
  })

  test.each([
    [{ text: undefined }, 'Missing required key "text" at $.record'],
    [{ createdAt: undefined }, 'Missing required key "createdAt" at $.record'],
    [{ text: 5 }, 'Expected string value type (got 5) at $.record.text'],
    [{ createdAt: 'today' }, 'Invalid datetime (got "today") at $.record.createdAt'],
    [
      { createdAt: '2026-11-21T12:00:00' },
      'Invalid datetime (got "2026-11-21T12:00:00") at $.record.createdAt',
    ],
    [{ langs: ['en', 'de', 'fr', 'es'] }, 'array too big (maximum 3, got 4) at $.record.langs'],
    [{ tags: ['x'.repeat(65)] }, 'grapheme too big (maximum 64, got 65) at $.record.tags[0]'],
    [
      { facets: [{ index: { byteStart: -1, byteEnd: 2 }, features: [] }] },
      'integer too small (minimum 0, got -1) at $.record.facets[0].index.byteStart',
    ],
    [
      { facets: [{ index: { byteStart: 0 }, features: [] }] },
      'Missing required key "byteEnd" at $.record.facets[0].index',
    ],
    [
      {
        facets: [
          {
            index: { byteStart: 0, byteEnd: 1 },
            features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'writer' }],
          },
        ],
      },
      'Invalid DID (got "writer") at $.record.facets[0].features[0].did',
    ],
    [{ $type: 'app.bsky.feed.like' }, `Invalid $type: expected ${POSTS}, got app.bsky.feed.like`],
    [
      { embed: { $type: 'app.bsky.embed.gallery', items: [] } },
      'Expected one of "app.bsky.embed.images", "app.bsky.embed.video", "app.bsky.embed.external", "app.bsky.embed.record" or "app.bsky.embed.recordWithMedia" (got "app.bsky.embed.gallery") at $.record.embed.$type',
    ],
  ])('with %o is refused', async (more, message) => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    expect(await user.post('Hello', more)).toMatchObject(invalid(message))
    expect(await sandbox.live()).toEqual([])
  })

  test('in the name of another is refused', async () => {
    await using sandbox = await testSandbox()
    const [user, other] = [await blueskyUser(sandbox), await blueskyUser(sandbox)]
    const body = { repo: other.did, collection: POSTS, record: record('x') }
    const { token } = user
    const answer = await user.xrpc('POST', 'com.atproto.repo.createRecord', { token, body })
    expect(answer).toMatchObject({ status: 401, body: { error: 'AuthenticationRequired' } })
  })

  test('with facets shows them by their bytes', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const features = [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/' }]
    await user.post('Ünïcode link here', {
      facets: [{ index: { byteStart: 10, byteEnd: 14 }, features }],
    })
    const [{ url }] = await sandbox.live()
    expect((await sandbox.ask('GET', new URL(url).pathname)).body).toMatch(
      /Ünïcode <a href="https:\/\/example.com\/"[^>]*>link<\/a\s*> here/,
    )
  })
})

describe('a record key', () => {
  test('that is taken makes no second post', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    const first = await user.create(record('First'), RKEY)
    expect(await user.create(record('Second'), RKEY)).toMatchObject({
      status: 500,
      body: { error: 'InternalServerError', message: 'Internal Server Error' },
    })
    expect((await user.get(RKEY)).body).toMatchObject({
      cid: first.body.cid,
      value: { text: 'First' },
    })
    expect((await sandbox.requests()).map((one: Json) => [one.key, one.applied])).toEqual([
      [RKEY, true],
      [RKEY, false],
    ])
  })

  test.each([
    ['of a post that is no TID', 'mine', 'Invalid TID string (got "mine") at $.rkey'],
    ['of two dots', '..', 'Invalid record key (got "..") at $.rkey'],
    ['with a slash', 'a/b', 'Invalid record key (got "a/b") at $.rkey'],
  ])('%s is refused', async (_, rkey, message) => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    expect(await user.create(record('x'), rkey)).toMatchObject(invalid(message))
  })

  test('without a record is told as such', async () => {
    await using sandbox = await testSandbox()
    const user = await blueskyUser(sandbox)
    expect(await user.get(RKEY)).toMatchObject({
      status: 400,
      body: {
        error: 'RecordNotFound',
        message: `Could not locate record: at://${user.did}/${POSTS}/${RKEY}`,
      },
    })
  })
})

test('putRecord writes over a post, and the same content again changes nothing', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const first = await user.put(record('First'), RKEY)
  const same = await user.put(record('First'), RKEY)
  expect(same.body).toMatchObject({ uri: first.body.uri, cid: first.body.cid })
  expect(same.body).not.toHaveProperty('commit')
  await user.put(record('Second'), RKEY)
  expect((await sandbox.live()).map((post: Json) => post.text)).toEqual(['Second'])
  expect((await sandbox.requests()).map((one: Json) => one.applied)).toEqual([true, false, true])
})

test('records are listed by key, latest first, in pages', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  for (const text of ['a', 'b', 'c']) await user.post(text)
  const list = async (query: string) => {
    const address = `com.atproto.repo.listRecords?repo=${user.handle}&collection=${POSTS}${query}`
    const { body } = await user.xrpc('GET', address)
    return { texts: body.records.map((one: Json) => one.value.text), cursor: body.cursor }
  }
  const first = await list('&limit=2')
  expect(first.texts).toEqual(['c', 'b'])
  expect((await list(`&cursor=${first.cursor}`)).texts).toEqual(['a'])
  expect((await list('&reverse=true&limit=2')).texts).toEqual(['a', 'b'])
})

test('an account has 5000 points an hour for writing, and a post costs three', async () => {
  await using sandbox = await testSandbox({ SANDBOX_RATE_LIMITS: 'on' })
  const user = await blueskyUser(sandbox)
  let last = await user.post('0')
  expect(last.headers.get('ratelimit-limit')).toBe('3000')
  for (let post = 2; post <= 1666; post++) last = await user.post(String(post))
  expect(last.status).toBe(200)
  expect(last.headers.get('ratelimit-remaining')).toBe('2')
  const refused = await user.post('too much')
  expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
  expect(refused.headers.get('ratelimit-policy')).toBe('5000;w=3600')
  expect(Number(refused.headers.get('ratelimit-reset'))).toBe(
    Date.parse('2026-11-21T13:00:00Z') / 1000,
  )
})

test('a body that is not JSON, and a method that does not exist, are told as such', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const { token } = user
  const createRecord = 'com.atproto.repo.createRecord'
  expect(await user.xrpc('POST', createRecord, { token })).toMatchObject(
    invalid('Request body is expected but none was provided'),
  )
  expect(
    await user.xrpc('POST', createRecord, {
      token,
      body: Buffer.from('{'),
      headers: { 'content-type': 'application/json' },
    }),
  ).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
  expect(await user.xrpc('POST', createRecord, { token, body: { repo: user.did } })).toMatchObject(
    invalid('Missing required key "collection" at $'),
  )
  expect(await user.xrpc('GET', 'app.bsky.feed.nothing')).toMatchObject({
    status: 501,
    body: { error: 'MethodNotImplemented' },
  })
})
