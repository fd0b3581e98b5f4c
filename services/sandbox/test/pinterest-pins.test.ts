import { expect, test } from 'vitest'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { named, pinterestUser, store } from './pinterest.ts'
import { sha256 } from './publish-file.ts'
import { type Json, testSandbox } from './sandbox.ts'

test('a picture is fetched from its address, and the pin shows it with its texts', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ 'a.png': png(40, 30) })
  const user = await pinterestUser(sandbox)
  const url = files.urlOf('a.png')
  const texts = {
    title: 'A boat',
    description: 'Look',
    alt_text: 'Blue',
    link: 'https://a.example/',
  }
  const pinned = await user.pin({ source_type: 'image_url', url }, texts)
  expect(pinned).toMatchObject({
    status: 201,
    body: {
      id: expect.stringMatching(/^\d+$/),
      created_at: '2026-11-21T12:00:00',
      board_id: user.boardId,
      creative_type: 'REGULAR',
      media: { media_type: 'image' },
      ...texts,
    },
  })
  expect(files.fetched).toEqual(['a.png'])
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(live).toMatchObject({
    id: pinned.body.id,
    account: user.account,
    title: 'A boat',
    text: 'Look',
    link: 'https://a.example/',
    media: [{ sha256: sha256(png(40, 30)), width: 40, height: 30, altText: 'Blue' }],
  })
  expect(await (await fetch(live.url)).text()).toContain('alt="Blue"')
  const shown = Buffer.from(await (await fetch(live.media[0].url)).arrayBuffer())
  expect(shown).toEqual(png(40, 30))
})

test('a carousel has two to five pictures of one size', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30), b: png(40, 30, 70), c: png(30, 40) })
  const user = await pinterestUser(sandbox)
  const carousel = (...names: string[]) =>
    user.pin({
      source_type: 'multiple_image_urls',
      items: names.map((name) => ({ url: files.urlOf(name) })),
    })
  expect(await carousel('a', 'b')).toMatchObject({
    status: 201,
    body: { creative_type: 'CAROUSEL' },
  })
  expect(await carousel('a', 'c')).toMatchObject({
    status: 400,
    body: { code: 1, message: expect.stringContaining('same size') },
  })
  expect((await carousel('a')).status).toBe(400)
  expect((await carousel('a', 'a', 'a', 'a', 'a', 'a')).status).toBe(400)
  expect(await sandbox.live()).toMatchObject([{ media: [{}, {}] }])
})

test('a picture can be part of the call', async () => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox)
  const item = { content_type: 'image/png', data: png(40, 30).toString('base64') }
  expect((await user.pin({ source_type: 'image_base64', ...item })).status).toBe(201)
  const items = [item, item]
  expect((await user.pin({ source_type: 'multiple_image_base64', items })).status).toBe(201)
  expect(await sandbox.live()).toMatchObject([{ media: [{ width: 40 }] }, { media: [{}, {}] }])
})

test.each<[string, (url: (name: string) => string) => Json, number, string]>([
  ['no source', () => undefined, 400, 'media_source'],
  [
    'a picture that is not there',
    (url) => ({ url: url('nothing') }),
    400,
    'Unable to reach the URL',
  ],
  ['an address that is none', () => ({ url: 'nothing' }), 400, 'Unable to reach the URL'],
  ['a text instead of a picture', (url) => ({ url: url('text') }), 400, 'not valid'],
  ['a video instead of a picture', (url) => ({ url: url('video') }), 400, 'not valid'],
  ['a picture of more than 20 MB', (url) => ({ url: url('large') }), 400, 'larger than 20 MB'],
])('%s is refused', async (_, source, status, message) => {
  await using sandbox = await testSandbox()
  await using files = await named({
    text: Buffer.from('just text'),
    video: mp4(),
    large: png(4, 3, 20 * 1024 * 1024 + 1),
  })
  const user = await pinterestUser(sandbox)
  const given = source(files.urlOf)
  const refused = await user.pin(given && { source_type: 'image_url', ...given })
  expect(refused).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
  expect(await sandbox.live()).toEqual([])
})

test.each([
  ['a title of 101 characters', { title: '🚤'.repeat(101) }, 400],
  ['a description of 801', { description: 'x'.repeat(801) }, 400],
  ['an alt text of 501', { alt_text: 'x'.repeat(501) }, 400],
  ['a link that is none', { link: 'boat' }, 400],
  ['no board', { board_id: undefined }, 400],
  ['a board that is no number', { board_id: 'boats' }, 400],
  ['an unknown board', { board_id: '1' }, 404],
  ['the longest texts', { title: '🚤'.repeat(100), description: '🚤'.repeat(800) }, 201],
])('a pin with %s is answered with its status', async (_, more, status) => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: gif() })
  const user = await pinterestUser(sandbox)
  const pinned = await user.pin({ source_type: 'image_url', url: files.urlOf('a') }, more)
  expect(pinned.status).toBe(status)
  expect(await sandbox.live()).toHaveLength(status === 201 ? 1 : 0)
})

test("nobody pins to another's board", async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await pinterestUser(sandbox), await pinterestUser(sandbox)]
  expect(await user.pin({}, { board_id: other.boardId })).toMatchObject({
    status: 403,
    body: { code: 29 },
  })
  expect((await user.ask('GET', `/boards/${other.boardId}/pins`)).status).toBe(403)
})

test('a video is announced, sent, processed, and pinned with a cover', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ cover: png() })
  const user = await pinterestUser(sandbox)
  const { id, stored } = await user.upload(mp4({ length: 3_000 }))
  expect(stored.status).toBe(204)
  const source = { source_type: 'video_id', media_id: id, cover_image_key_frame_time: 0 }
  expect((await user.ask('GET', `/media/${id}`)).body).toEqual({
    media_id: id,
    media_type: 'video',
    status: 'processing',
  })
  expect(await user.pin(source)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('not ready') },
  })
  await sandbox.advance(2)
  expect((await user.ask('GET', `/media/${id}`)).body.status).toBe('succeeded')
  expect(await user.pin({ ...source, cover_image_key_frame_time: undefined })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('cover') },
  })
  const uncovered = { source_type: 'video_id', media_id: id }
  const byUrl = (name: string) => ({ ...uncovered, cover_image_url: files.urlOf(name) })
  expect((await user.pin(byUrl('nothing'))).status).toBe(400)
  expect((await user.pin(byUrl('cover'))).status).toBe(201)
  expect(await user.pin(source)).toMatchObject({ status: 201, body: { creative_type: 'VIDEO' } })
  const video = { sha256: sha256(mp4({ length: 3_000 })) }
  expect(await sandbox.live()).toMatchObject([{ media: [video] }, { media: [video] }])
})

test.each([
  ['holds none', brokenMp4()],
  ['is none', png()],
])('a video that %s fails in the end', async (_, bytes) => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox)
  const { id } = await user.upload(bytes)
  await sandbox.advance(2)
  expect((await user.ask('GET', `/media/${id}`)).body.status).toBe('failed')
})

test('the storage takes only what was announced, in the form that was given', async () => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox)
  expect((await user.ask('POST', '/media', { media_type: 'image' })).status).toBe(400)
  const { body } = await user.ask('POST', '/media', { media_type: 'video' })
  expect((await user.ask('GET', `/media/${body.media_id}`)).body.status).toBe('registered')
  const { policy: _, ...incomplete } = body.upload_parameters
  expect((await store({ ...body, upload_parameters: incomplete }, mp4())).status).toBe(400)
  const wrong = { ...body.upload_parameters, policy: 'another' }
  expect((await store({ ...body, upload_parameters: wrong }, mp4())).status).toBe(403)
  await sandbox.advance(3600)
  expect((await store(body, mp4())).status).toBe(403)
  const other = await pinterestUser(sandbox)
  expect((await other.ask('GET', `/media/${body.media_id}`)).status).toBe(404)
})

test('boards and pins are listed in pages, pins newest first', async () => {
  await using sandbox = await testSandbox()
  const user = await pinterestUser(sandbox)
  expect((await user.ask('POST', '/boards', { name: 'Ships' })).status).toBe(201)
  const first = (await user.ask('GET', '/boards?page_size=2')).body
  expect(first.items.map(({ name }: Json) => name)).toEqual(['Boats', 'Recipes'])
  const second = (await user.ask('GET', `/boards?page_size=2&bookmark=${first.bookmark}`)).body
  expect(second).toMatchObject({ items: [{ name: 'Ships' }], bookmark: null })
  expect((await user.ask('GET', '/boards?page_size=251')).status).toBe(400)
  expect((await user.ask('GET', '/boards?bookmark=nonsense')).status).toBe(400)

  const item = { content_type: 'image/png', data: png().toString('base64') }
  for (const title of ['1', '2'])
    await user.pin({ source_type: 'image_base64', ...item }, { title })
  const { items } = (await user.ask('GET', `/boards/${user.boardId}/pins`)).body
  expect(items).toMatchObject([{ title: '2' }, { title: '1' }])
  expect((await user.ask('GET', '/pins?page_size=1')).body.items).toMatchObject([{ title: '2' }])
  expect((await user.ask('GET', `/pins/${items[1].id}`)).body).toEqual(items[1])
  const other = await pinterestUser(sandbox)
  expect((await other.ask('GET', `/pins/${items[1].id}`)).status).toBe(404)
})
