import { describe, expect, test } from 'vitest'
import { skeet, startSandbox } from './sandbox.ts'

const FAMILY = '👩‍👩‍👧‍👦'

describe('the text of a post', () => {
  test('has 300 graphemes at most, however many bytes each has', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    expect((await skeet(sandbox, account, { text: 'é'.repeat(300) })).status).toBe(200)
    const { status, body } = await skeet(sandbox, account, { text: 'é'.repeat(301) })
    expect(status).toBe(400)
    expect(body.error).toBe('InvalidRequest')
    expect(body.message).toContain('grapheme too big (maximum 300, got 301) at $.record.text')
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('has 3000 bytes at most', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const bytes = Buffer.byteLength(FAMILY)
    const most = FAMILY.repeat(Math.floor(3000 / bytes))
    const text = most + 'a'.repeat(3000 - Buffer.byteLength(most))
    expect((await skeet(sandbox, account, { text })).status).toBe(200)
    const { status, body } = await skeet(sandbox, account, { text: `${text}a` })
    expect(status).toBe(400)
    expect(body.message).toContain('(maximum 3000, got 3001)')
  })

  test.each([
    ['past the end', 0, 6],
    ['of nothing', 2, 2],
    ['inside a character', 0, 2],
  ])('has no facet %s', async (_, byteStart, byteEnd) => {
    const sandbox = await startSandbox()
    const features = [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' }]
    const facets = [{ index: { byteStart, byteEnd }, features }]
    const { status } = await skeet(sandbox, await sandbox.bluesky(), { text: 'aéio', facets })
    expect(status).toBe(400)
    expect(await sandbox.live()).toEqual([])
  })

  test('may have a facet that ends with it', async () => {
    const sandbox = await startSandbox()
    const features = [{ $type: 'app.bsky.richtext.facet#tag', tag: 'é' }]
    const facets = [{ index: { byteStart: 1, byteEnd: 3 }, features }]
    expect((await skeet(sandbox, await sandbox.bluesky(), { text: '#é', facets })).status).toBe(200)
  })
})

test('a post without the time of its making is refused', async () => {
  const sandbox = await startSandbox()
  const { status, body } = await skeet(sandbox, await sandbox.bluesky(), {
    text: 'x',
    createdAt: undefined,
  })
  expect(status).toBe(400)
  expect(body.message).toContain('createdAt')
})

describe('a record key', () => {
  test('that is taken leads to an error of the server and no second post', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const first = await skeet(sandbox, account, { text: 'first' }, { rkey: '3kabcdefghijk' })
    expect(first.body).toMatchObject({
      uri: `at://${account.account}/app.bsky.feed.post/3kabcdefghijk`,
      cid: expect.stringMatching(/^bafyrei[a-z2-7]{52}$/),
      validationStatus: 'valid',
    })
    const second = await skeet(sandbox, account, { text: 'second' }, { rkey: '3kabcdefghijk' })
    expect(second.status).toBe(500)
    expect(second.body.error).toBe('InternalServerError')
    expect(await sandbox.live()).toMatchObject([{ text: 'first', id: first.body.uri }])
    expect(await sandbox.requests()).toMatchObject([{ applied: true }, { applied: false }])
  })

  test('is made by the server where none is given, greater each time', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const one = (await skeet(sandbox, account, { text: 'one' })).body.uri
    const two = (await skeet(sandbox, account, { text: 'two' })).body.uri
    expect(one).toMatch(/\/[2-7a-z]{13}$/)
    expect(two > one).toBe(true)
  })

  test.each(['..', 'with space', 'a/b'])('%s is not one', async (rkey) => {
    const sandbox = await startSandbox()
    expect((await skeet(sandbox, await sandbox.bluesky(), { text: 'x' }, { rkey })).status).toBe(
      400,
    )
  })
})

test('putRecord replaces a post, and the same content again changes nothing', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.bluesky()
  const put = (text: string) =>
    skeet(sandbox, account, { text }, { rkey: '3kput', method: 'putRecord' })
  const cids = [await put('one'), await put('one'), await put('two')].map(({ body }) => body.cid)
  expect(cids[0]).toBe(cids[1])
  expect(cids[2]).not.toBe(cids[0])
  expect(await sandbox.live()).toMatchObject([{ text: 'two' }])
  expect(await sandbox.requests()).toMatchObject([
    { applied: true },
    { applied: false },
    { applied: true },
  ])
})

test('getRecord tells a post that is live from one that is not', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.bluesky()
  await skeet(sandbox, account, { text: 'here' }, { rkey: '3khere' })
  const get = (rkey: string) =>
    sandbox.ask(
      'GET',
      `/bluesky/xrpc/com.atproto.repo.getRecord?repo=${account.account}&collection=app.bsky.feed.post&rkey=${rkey}`,
    )
  expect((await get('3khere')).body.value).toMatchObject({ text: 'here' })
  const missing = await get('3kgone')
  expect(missing.status).toBe(400)
  expect(missing.body.error).toBe('RecordNotFound')
})

test('listRecords gives the newest first, in pages', async () => {
  const sandbox = await startSandbox()
  const account = await sandbox.bluesky()
  for (const text of ['1', '2', '3']) await skeet(sandbox, account, { text })
  const list = async (query: string) =>
    (
      await sandbox.ask(
        'GET',
        `/bluesky/xrpc/com.atproto.repo.listRecords?repo=${account.account}&collection=app.bsky.feed.post${query}`,
      )
    ).body
  const page = await list('&limit=2')
  const texts = (records: { value: { text: string } }[]) => records.map(({ value }) => value.text)
  expect(texts(page.records)).toEqual(['3', '2'])
  expect(texts((await list(`&cursor=${page.cursor}`)).records)).toEqual(['1'])
  expect(texts((await list('&reverse=true')).records)).toEqual(['1', '2', '3'])
})

test('nobody writes to the repository of another', async () => {
  const sandbox = await startSandbox()
  const [one, other] = [await sandbox.bluesky(), await sandbox.bluesky()]
  const { status } = await skeet(sandbox, { ...one, account: other.account }, { text: 'x' })
  expect(status).toBe(401)
  expect(await sandbox.live()).toEqual([])
})

test('a handle and a profile are found, unknown ones are not', async () => {
  const sandbox = await startSandbox()
  const { account } = await sandbox.bluesky('library')
  const xrpc = (path: string) => sandbox.ask('GET', `/bluesky/xrpc/${path}`)
  expect((await xrpc('com.atproto.identity.resolveHandle?handle=library.test')).body).toEqual({
    did: account,
  })
  expect((await xrpc('com.atproto.identity.resolveHandle?handle=nobody.test')).status).toBe(400)
  expect((await xrpc(`app.bsky.actor.getProfile?actor=${account}`)).body).toMatchObject({
    handle: 'library.test',
  })
  expect((await xrpc('app.bsky.actor.getProfile?actor=nobody.test')).status).toBe(400)
})
