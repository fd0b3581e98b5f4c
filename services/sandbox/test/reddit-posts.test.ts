import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { sha256 } from './publish-file.ts'
import { redditUser, type RedditUser } from './reddit.ts'
import { testSandbox } from './sandbox.ts'

const codes = (body: { json: { errors: string[][] } }) => body.json.errors.map(([code]) => code)

test('a text is live at once, and its address shows it', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  const { status, body } = await user.submit({ text: 'Look at **it**' })
  expect(status).toBe(200)
  expect(body.json).toEqual({
    errors: [],
    data: {
      url: expect.stringMatching(/\/r\/boats\/comments\/[a-z0-9]+\/a_boat\/$/),
      drafts_count: 0,
      id: expect.any(String),
      name: `t3_${body.json.data.id}`,
    },
  })
  expect(await sandbox.live()).toMatchObject([
    { account: user.account, id: body.json.data.name, title: 'A boat', text: 'Look at **it**' },
  ])
  expect(await (await fetch(body.json.data.url)).text()).toContain('Look at **it**')
})

test('a link is a post of its own, and again only where that is asked for', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const link = { kind: 'link', url: 'https://example.com/boat' }
  expect(codes((await user.submit(link)).body)).toEqual([])
  expect(codes((await user.submit(link)).body)).toEqual(['ALREADY_SUB'])
  expect(codes((await user.submit({ ...link, sr: 'ships' })).body)).toEqual([])
  expect(codes((await user.submit({ ...link, resubmit: 'true' })).body)).toEqual([])
  expect(await sandbox.live()).toMatchObject(Array(3).fill({ link: link.url }))
})

test.each([
  ['no kind', { kind: 'poem' }, 'INVALID_OPTION'],
  ['no subreddit', { sr: '' }, 'SUBREDDIT_REQUIRED'],
  ['an unknown subreddit', { sr: 'nosuchplace' }, 'SUBREDDIT_NOEXIST'],
  ['a name that none can have', { sr: 'r/boats' }, 'SUBREDDIT_NOEXIST'],
  ['a subreddit of others', { sr: 'restricted' }, 'SUBREDDIT_NOTALLOWED'],
  ['a text where only links are taken', { sr: 'LinksOnly' }, 'NO_SELFS'],
  ['a link where only texts are taken', { sr: 'textonly', kind: 'link' }, 'NO_LINKS'],
  ['a picture where only texts are taken', { sr: 'textonly', kind: 'image' }, 'NO_IMAGES'],
  ['no title', { title: ' ' }, 'NO_TEXT'],
  ['a title of 301 characters', { title: '🚤'.repeat(301) }, 'TOO_LONG'],
  ['a text of 40,001 characters', { text: 'x'.repeat(40_001) }, 'TOO_LONG'],
  ['a link without an address', { kind: 'link' }, 'NO_URL'],
  ['a link to nowhere', { kind: 'link', url: 'boat' }, 'BAD_URL'],
  ['a picture that was not uploaded', { kind: 'image', url: 'https://a.example/1' }, 'BAD_URL'],
  ['a video without a poster', { kind: 'video', url: 'https://a.example/1' }, 'MISSING_VIDEO_URLS'],
  ['no flair where one is needed', { sr: 'flaired' }, 'SUBMIT_VALIDATION_FLAIR_REQUIRED'],
])('%s is refused with status 200', async (_, fields, code) => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const { status, body } = await user.submit(fields)
  expect([status, ...codes(body)]).toEqual([200, code])
  expect(await sandbox.live()).toEqual([])
})

test('the longest title and text are taken, by code points', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const longest = { title: '🚤'.repeat(300), text: '🚤'.repeat(40_000) }
  expect(codes((await user.submit(longest)).body)).toEqual([])
})

test('who has to wait is told for how long', async () => {
  await using sandbox = await testSandbox()
  const { body } = await (await redditUser(sandbox)).submit({ sr: 'busy' })
  expect(body.json).toEqual({
    errors: [['RATELIMIT', 'you are doing that too much. try again in 9 minutes.', 'ratelimit']],
    ratelimit: 540,
  })
})

test('a private subreddit is forbidden', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const expected = { status: 403, body: { error: 403, message: 'Forbidden', reason: 'private' } }
  expect(await user.submit({ sr: 'private' })).toMatchObject(expected)
  expect(await user.call('GET', '/r/private/api/link_flair_v2')).toMatchObject(expected)
})

test('a flair of the subreddit goes with the post, and another one is a bad request', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  const flairs = (await user.call('GET', '/r/flaired/api/link_flair_v2')).body
  expect(flairs.map(({ text }: { text: string }) => text)).toEqual(['News', 'Question'])
  const flaired = { sr: 'flaired', flair_id: flairs[0].id }
  expect(codes((await user.submit(flaired)).body)).toEqual([])
  expect((await user.submit({ ...flaired, flair_id: 'another' })).status).toBe(400)
  const listed = (await user.call('GET', '/user/ada/submitted')).body.data.children
  expect(listed).toMatchObject([{ data: { link_flair_template_id: flairs[0].id } }])
})

async function submitFile(user: RedditUser, bytes: Buffer, mimeType: string, title = 'A boat') {
  const file = await user.upload(bytes, mimeType)
  expect(file.stored.status).toBe(201)
  const poster = await user.upload(png(), 'image/png')
  const kind = mimeType.startsWith('video/') ? 'video' : 'image'
  return await user.submit({ kind, title, url: file.url, video_poster_url: poster.url })
}

async function news(address: string): Promise<unknown> {
  const [message] = await once(new WebSocket(address), 'message')
  return JSON.parse(String(message))
}

test.each([
  ['a picture', png(40, 30), 'image/png'],
  ['an animated GIF', gif(), 'image/gif'],
  ['a video', mp4(), 'video/mp4'],
])('%s becomes a post later, of which a websocket tells', async (_, bytes, mimeType) => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  const { body } = await submitFile(user, bytes, mimeType)
  const { data } = body.json
  expect(data).toEqual({
    user_submitted_page: `${sandbox.url}/reddit/user/ada/submitted/`,
    websocket_url: expect.stringMatching(/^ws:/),
  })
  expect(await sandbox.live()).toEqual([])
  const told = news(data.websocket_url)
  await sandbox.advance(2)
  const [live] = await sandbox.live()
  expect(await told).toEqual({ type: 'success', payload: { redirect: live.url } })
  // Whoever comes later is told at once.
  expect(await news(data.websocket_url)).toMatchObject({ type: 'success' })
  expect(live.media).toMatchObject([{ mimeType, sha256: sha256(bytes) }])
  expect(await (await fetch(live.media[0].url)).arrayBuffer()).toHaveProperty(
    'byteLength',
    bytes.length,
  )
})

test.each([
  ['a video that holds none', brokenMp4(), 'A boat'],
  ['a post that asks for it', mp4(), '#sandbox-fail:processing'],
])('%s fails in the end, and a websocket tells of it', async (_, bytes, title) => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const { body } = await submitFile(user, bytes, 'video/mp4', title)
  const told = news(body.json.data.websocket_url)
  await sandbox.advance(2)
  expect(await told).toEqual({ type: 'failed', payload: {} })
  expect(await sandbox.live()).toEqual([])
  expect(await sandbox.requests()).toMatchObject([{ applied: false, postId: null }])
})

test('a websocket of no file is refused', async () => {
  await using sandbox = await testSandbox()
  const address = `${sandbox.url.replace('http', 'ws')}/reddit/ws/nothing`
  await expect(news(address)).rejects.toThrow('socket hang up')
  await expect(news(address.replace('reddit', 'mastodon'))).rejects.toThrow('socket hang up')
})

test('a gallery has two to twenty pictures of the account, and is live at once', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox)
  const ids: string[] = []
  for (const width of [10, 20]) ids.push((await user.upload(png(width), 'image/png')).id)
  const gallery = (media: string[], more = {}) =>
    user.call('POST', '/api/submit_gallery_post.json', {
      sr: 'boats',
      title: 'Boats',
      items: media.map((media_id) => ({ media_id, caption: '' })),
      ...more,
    })
  const { body } = await gallery(ids)
  expect(body.json).toMatchObject({ errors: [], data: { url: expect.any(String) } })
  expect(await sandbox.live()).toMatchObject([{ media: [{ width: 10 }, { width: 20 }] }])
  expect(codes((await gallery(ids.slice(1))).body)).toEqual(['INVALID_OPTION'])
  expect(codes((await gallery([...ids, 'another'])).body)).toEqual(['INVALID_OPTION'])
  const other = await (await redditUser(sandbox)).upload(png(), 'image/png')
  expect(codes((await gallery([...ids, other.id])).body)).toEqual(['INVALID_OPTION'])
  expect(codes((await gallery(ids, { title: '' })).body)).toEqual(['NO_TEXT'])
})

test('the posts of an account are listed, newest first and in pages', async () => {
  await using sandbox = await testSandbox()
  const user = await redditUser(sandbox, 'ada')
  for (const title of ['1', '2', '3']) await user.submit({ title })
  await (await redditUser(sandbox, 'bob')).submit({ title: 'of another' })
  const page = async (query: string) =>
    (await user.call('GET', `/user/ada/submitted?${query}`)).body
  const { data } = await page('limit=2&sort=new')
  expect(data.children).toMatchObject([{ data: { title: '3' } }, { data: { title: '2' } }])
  expect(data.after).toBe(data.children[1].data.name)
  expect((await page(`limit=2&after=${data.after}`)).data).toMatchObject({
    after: null,
    children: [{ kind: 't3', data: { title: '1', subreddit: 'boats', is_self: true } }],
  })
})
