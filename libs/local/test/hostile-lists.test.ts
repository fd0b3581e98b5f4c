import { newId } from '@herald/contracts/ids'
import type { Media } from '@herald/contracts/media'
import type { Post } from '@herald/contracts/posts'
import { describe, expect, test as base } from 'vitest'
import { expectRefusal, type HostileWorld, inAYear, withHostileWorld } from './hostile-world.ts'
import { uploadPicture } from './small-picture.ts'

const test = base.extend<{ world: HostileWorld }>({
  world: [async ({}, use) => withHostileWorld(use), { scope: 'file' }],
})

type Page<Item> = { data: Item[]; nextCursor: string | null }

async function list<Item = Post>(world: HostileWorld, path: string, key = world.apiKey) {
  const answer = await world.ask('GET', path, { key })
  expect(answer.status).toBe(200)
  return JSON.parse(answer.text) as Page<Item>
}

/** A key of another organization. */
async function keyOfOthers(world: HostileWorld): Promise<string> {
  const { id: organizationId } = await world.accounts.createOrganization({
    name: 'Others',
    plan: 'ENTERPRISE',
  })
  const scopes: ('read' | 'publish')[] = ['read', 'publish']
  return (await world.accounts.createKey({ organizationId, name: 'Others', scopes })).secret
}

async function limitedKey(world: HostileWorld, channels: string[]): Promise<string> {
  const { organizationId } = world
  const scopes: ('read' | 'publish')[] = ['read', 'publish']
  return (await world.accounts.createKey({ organizationId, name: 'L', scopes, channels })).secret
}

describe('GET /posts', () => {
  test.for(['nonsense', newId('channel'), '%25', '*'])(
    '126: posts of the channel %s are an empty page',
    async (channelId, { world }) => {
      await world.plan()
      const page = await list(world, `/posts?channelId=${channelId}`)
      expect(page).toEqual({ data: [], nextCursor: null })
    },
  )

  test('126: posts of a channel of another organization are the same empty page', async ({
    world,
  }) => {
    await world.plan()
    const path = `/posts?channelId=${world.mastodon.id}`
    expect((await list(world, path)).data.length).toBeGreaterThan(0)
    expect(await list(world, path, await keyOfOthers(world))).toEqual({
      data: [],
      nextCursor: null,
    })
  })

  test('124: a time from that is behind the time to is an empty page', async ({ world }) => {
    const path = '/posts?from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z'
    expect((await list(world, path)).data).toEqual([])
  })

  const CURSORS: [string, (cursor: string) => string][] = [
    ['nothing', () => ''],
    ['three letters', () => 'abc'],
    ['half of one', (cursor) => cursor.slice(0, cursor.length / 2)],
    [
      'one with another letter at its end',
      (cursor) => cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A'),
    ],
    ['100 KB', () => 'a'.repeat(100_000)],
    ['SQL', () => Buffer.from(`["2026-01-01T00:00:00Z","' or 1=1 --","x"]`).toString('base64url')],
    ['a list of objects', () => Buffer.from('[{},{},{}]').toString('base64url')],
    ['NUL', () => Buffer.from('["2026-01-01T00:00:00Z","\\u0000","x"]').toString('base64url')],
  ]
  test.for(CURSORS)('127: %s is no cursor', async ([what, change], { world }) => {
    await world.plan()
    await world.plan()
    const { nextCursor } = await list(world, '/posts?limit=1')
    const path = `/posts?limit=1&cursor=${change(nextCursor!)}`
    const status = what === '100 KB' ? 431 : 422
    await expectRefusal(world, status, 'validation_failed', 'GET', path)
  })

  test('127: a cursor of another organization, another filter or another list is none', async ({
    world,
  }) => {
    await world.plan()
    await world.plan()
    const { nextCursor } = await list(world, '/posts?limit=1')
    const others = await keyOfOthers(world)
    const refused = (path: string, key = world.apiKey) =>
      expectRefusal(world, 422, 'validation_failed', 'GET', path, { key })
    const errors = [
      await refused(`/posts?limit=1&cursor=${nextCursor}`, others),
      await refused(`/posts?limit=1&status=scheduled&cursor=${nextCursor}`),
      await refused(`/media?limit=1&cursor=${nextCursor}`),
      await refused('/posts?limit=1&cursor=abc'),
    ]
    for (const error of errors) expect(error).toEqual(errors[0])
  })

  test('128: the cursor of a post that was deleted goes on behind it', async ({ world }) => {
    const [one, two] = [await world.plan(), await world.plan()]
    const { data, nextCursor } = await list(world, '/posts?limit=1')
    expect(data[0]?.id).toBe(two.id)
    expect((await world.ask('DELETE', `/posts/${two.id}`)).status).toBe(200)
    expect((await list(world, `/posts?limit=1&cursor=${nextCursor}`)).data[0]?.id).toBe(one.id)
  })
})

describe.each(['GET', 'PATCH', 'DELETE'] as const)('%s /posts/{id}', (method) => {
  test('132: every id that is not that of a visible post gets the very same answer', async ({
    world,
  }) => {
    const deleted = await world.plan()
    await world.ask('DELETE', `/posts/${deleted.id}`)
    const visible = await world.plan()
    const hidden = await limitedKey(world, [world.bluesky.id])
    const others = await keyOfOthers(world)
    const body = method === 'PATCH' ? { body: { content: 'Theirs' } } : {}
    const refused = (id: string, key = world.apiKey) =>
      expectRefusal(world, 404, 'not_found', method, `/posts/${id}`, { key, ...body })
    const errors = [
      await refused(newId('post')),
      await refused(deleted.id),
      await refused(visible.id, hidden),
      await refused(visible.id, others),
      await refused(newId('media')),
      await refused('%00'),
      await refused('%5Bobject%20Object%5D'),
      await refused('x'.repeat(8_000)),
      await refused(`${visible.id}%0a`),
    ]
    for (const error of errors) expect(error).toEqual(errors[0])
    expect(await world.get(visible.id)).toEqual(visible)
  })
})

describe('PATCH /posts/{id}', () => {
  const CHANGES: [string, Record<string, unknown>][] = [
    ['133: that changes nothing', {}],
    ['134: of the status', { status: 'published' }],
    ['135: of the channels', { channelIds: [newId('channel')] }],
    ['135: of the files', { mediaIds: [] }],
    [
      '136: of the time to an hour ago',
      { publishAt: new Date(Date.now() - 3_600_000).toISOString() },
    ],
    ['136: of the time to null', { publishAt: null }],
    ['137: to more text than a channel takes', { content: 'x'.repeat(501) }],
    ['137: to no text', { content: '\u200b' }],
    ['60: to half a character', { content: 'a\ud800' }],
    ['59: to a NUL', { platformContent: { MASTODON: 'a\u0000b' } }],
  ]
  test.for(CHANGES)('422 for a change %s', async ([, body], { world }) => {
    const post = await world.plan()
    await expectRefusal(world, 422, 'validation_failed', 'PATCH', `/posts/${post.id}`, { body })
    expect(await world.get(post.id)).toEqual(post)
  })

  test('140: of twenty changes at once each is taken whole or is a conflict', async ({ world }) => {
    const post = await world.plan()
    const path = `/posts/${post.id}`
    const bodies = Array.from({ length: 20 }, (_, index) => ({
      content: `text ${index}`,
      publishAt: new Date(Date.parse(inAYear()) + index * 3_600_000).toISOString(),
    }))
    const answers = await Promise.all(bodies.map((body) => world.ask('PATCH', path, { body })))
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { content, scheduledAt } = await world.get(post.id)
    expect(bodies).toContainEqual({ content, publishAt: scheduledAt })
  })

  test('141: a post may be changed to say what another says', async ({ world }) => {
    const [one, two] = [await world.plan(), await world.plan()]
    const { content } = one
    expect((await world.ask('PATCH', `/posts/${two.id}`, { body: { content } })).status).toBe(200)
  })
})

test('143, 146: a post is deleted once, whatever body comes with it', async ({ world }) => {
  const { id } = await world.plan()
  const body = '{"content":'
  expect((await world.ask('DELETE', `/posts/${id}`, { body })).status).toBe(200)
  await expectRefusal(world, 404, 'not_found', 'DELETE', `/posts/${id}`)
})

describe('GET /media', () => {
  const FOUND: [string, string][] = [
    ['238: 200 characters', 'a'.repeat(200)],
    ['238: 200 loaves of bread', '🍞'.repeat(200)],
    ['238: a percent sign', '%'],
    ['238: an underline', '_'],
    ['238: a backslash', '\\'],
    ['238: a quotation mark', "'"],
    ['238: a word of a query language', 'a & !'],
    ['238: everything of another one', '*:*'],
    ['239: 100 percent signs', '%'.repeat(100)],
    ['239: 100 percent signs apart', '% '.repeat(100)],
  ]
  test.for(FOUND)('a search for %s finds nothing but itself', async ([, q], { world }) => {
    await uploadPicture(world, { fileName: 'plain.png' })
    expect((await list(world, `/media?q=${encodeURIComponent(q)}`)).data).toEqual([])
  })

  test.for([
    ['238: 201 characters', 'a'.repeat(201)],
    ['238: 201 loaves of bread', '🍞'.repeat(201)],
    ['238: a NUL', '\u0000'],
  ] as const)('a search for %s is refused', async ([, q], { world }) => {
    await expectRefusal(world, 422, 'validation_failed', 'GET', `/media?q=${encodeURIComponent(q)}`)
  })

  test.for(['audio', 'gif', 'MEDIA', '', 'image&type=video'])(
    '240: type=%s is no filter',
    async (type, { world }) => {
      await expectRefusal(world, 422, 'validation_failed', 'GET', `/media?type=${type}`)
    },
  )

  test('241: a search finds files of its own organization only', async ({ world }) => {
    const { id } = await uploadPicture(world, { fileName: 'owned.png' })
    const others = await keyOfOthers(world)
    expect((await list<Media>(world, '/media?q=owned')).data.map((file) => file.id)).toEqual([id])
    expect((await list<Media>(world, '/media?q=owned', others)).data).toEqual([])
    await expectRefusal(world, 404, 'not_found', 'GET', `/media/${id}`, { key: others })
    await expectRefusal(world, 404, 'not_found', 'DELETE', `/media/${id}`, { key: others })
  })
})

describe('DELETE /media/{id}', () => {
  test('242: a file of a scheduled post stays, and the post is named', async ({ world }) => {
    const { id } = await uploadPicture(world)
    const post = await world.plan({ mediaIds: [id] })
    const error = await expectRefusal(world, 409, 'conflict', 'DELETE', `/media/${id}`)
    expect(error.details).toEqual({ postId: post.id })
    const hidden = await limitedKey(world, [world.bluesky.id])
    const blind = await expectRefusal(world, 409, 'conflict', 'DELETE', `/media/${id}`, {
      key: hidden,
    })
    expect(blind).not.toHaveProperty('details')
  })
})

describe('POST /media/uploads', () => {
  test.for([
    ['58: minus zero', '-0'],
    ['58: a fraction', '1.5'],
    ['58: an integer in quotation marks', '"25"'],
    ['57: a number of 20 digits', '12345678901234567890'],
    ['56: a number beyond all', '1e999'],
  ] as const)('%s is no size of a file', async ([, fileSize], { world }) => {
    const body = `{"fileName":"a.png","mimeType":"image/png","fileSize":${fileSize}}`
    await expectRefusal(world, 422, 'validation_failed', 'POST', '/media/uploads', { body })
  })
})

test('248: a key for no channel sees none and posts to none', async ({ world }) => {
  const key = await limitedKey(world, [])
  await world.plan()
  expect(JSON.parse((await world.ask('GET', '/channels', { key })).text)).toEqual({ data: [] })
  expect((await list(world, '/posts', key)).data).toEqual([])
  await expectRefusal(world, 422, 'validation_failed', 'POST', '/posts', {
    key,
    body: { content: 'Hi', channelIds: [world.mastodon.id] },
  })
})

test('249: a name of an account with HTML and line breaks is text like any other', async ({
  world,
}) => {
  const name = '<img src=x onerror=alert(1)>\r\nSet-Cookie: a=b'
  const account = await world.sandbox.createAccount('MASTODON')
  const { id } = await world.channels.connect({
    organizationId: world.organizationId,
    platform: 'MASTODON',
    baseUrl: account.baseUrl,
    credentials: account.credentials,
    name,
  })
  const answer = await world.ask('GET', '/channels')
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const { data } = JSON.parse(answer.text) as { data: { id: string; name: string }[] }
  expect(data.find((channel) => channel.id === id)?.name).toBe(name)
})
