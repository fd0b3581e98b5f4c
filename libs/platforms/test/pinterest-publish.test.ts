import { describe, expect, test } from 'vitest'
import { pinterestConnector as pinterest } from '../src/pinterest/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const PIN = { id: '81', created_at: '2026-11-21T09:30:01', title: null, description: 'Hello' }
const media = [aPublishFile('med_1', 'image', { altText: 'A boat' })]
const step = { images: ['https://files.example/med_1'] }

function anInput(apiUrl: string, more: Partial<ReturnType<typeof aPublishInput>> = {}) {
  const settings = { apiUrl, webUrl: 'https://www.pinterest.com' }
  return aPublishInput({ settings, options: { boardId: '7' }, media, step, ...more })
}

async function commitAnswered(answer: Answer) {
  await using server = await scriptedServer(() => answer)
  return await pinterest.commit(anInput(server.url))
}

describe('the call that makes a pin', () => {
  test('carries the board, the texts and where the picture is', async () => {
    await using server = await scriptedServer(() => ({ status: 201, body: PIN }))
    const options = { boardId: '7', title: 'A title', link: 'https://example.com/' }
    expect(await pinterest.commit(anInput(server.url, { options }))).toEqual({
      outcome: 'published',
      platformPostId: '81',
      url: 'https://www.pinterest.com/pin/81/',
      publishedAt: '2026-11-21T09:30:01.000Z',
    })
    const [call, ...others] = server.received
    expect(others).toEqual([])
    expect(call).toMatchObject({
      method: 'POST',
      path: '/pins',
      headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
    })
    expect(JSON.parse(call!.body)).toEqual({
      board_id: '7',
      title: 'A title',
      description: 'Hello',
      link: 'https://example.com/',
      alt_text: 'A boat',
      media_source: { source_type: 'image_url', url: 'https://files.example/med_1' },
    })
  })

  test('says only what is asked for, and a video has a cover', async () => {
    await using server = await scriptedServer(() => ({ status: 201, body: PIN }))
    const video = { mediaId: '55', isProcessed: true }
    const input = anInput(server.url, {
      text: ' ',
      media: [aPublishFile('med_1', 'video')],
      step: { video },
      options: { boardId: '7', coverOffsetSeconds: 2.9 },
    })
    await pinterest.commit(input)
    expect(JSON.parse(server.received[0]!.body)).toEqual({
      board_id: '7',
      media_source: { source_type: 'video_id', media_id: '55', cover_image_key_frame_time: 2 },
    })
  })

  test.each<[number, string, object]>([
    [401, 'Authentication failed.', { outcome: 'reauth' }],
    [
      403,
      'You are not permitted to access that resource.',
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [404, 'Board not found.', { outcome: 'permanent', errorCode: 'board_not_found' }],
    [404, 'Media not found.', { outcome: 'unprepared' }],
    [400, 'Unable to reach the URL. Please check it.', { outcome: 'transient' }],
    [400, 'The video is not ready', { outcome: 'transient' }],
    [400, 'The image is not valid', { outcome: 'permanent', errorCode: 'media_unfit' }],
    [400, 'A cover is needed', { outcome: 'permanent', errorCode: 'media_unfit' }],
    [400, 'Sorry! We blocked this link', { outcome: 'permanent', errorCode: 'invalid_link' }],
    [400, "'title': maxLength=100", { outcome: 'permanent', errorCode: 'text_too_long' }],
    [400, 'Invalid request', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [413, '', { outcome: 'permanent', errorCode: 'too_large' }],
    [429, 'Slow down', { outcome: 'rate_limited', retryAt: null }],
    [408, '', { outcome: 'unknown' }],
    [302, '', { outcome: 'unknown' }],
    [500, 'Something went wrong on our end.', { outcome: 'unknown' }],
    [503, '', { outcome: 'unknown' }],
  ])('answered with %i %s', async (status, message, expected) => {
    expect(await commitAnswered({ status, body: { code: 1, message } })).toMatchObject(expected)
  })

  test('answered with 429 is told when to come again', async () => {
    const before = Date.now()
    const outcome = await commitAnswered({
      status: 429,
      headers: { 'x-ratelimit-reset': '60' },
      body: '',
    })
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 60_000)
  })

  test.each(['<html>', '', '{"id":"8', { id: '' }, {}])(
    'answered as a success with %j has an unknown outcome',
    async (body) => {
      expect(await commitAnswered({ status: 201, body })).toMatchObject({ outcome: 'unknown' })
    },
  )

  test('has certainly not happened when nobody listens', async () => {
    expect(await pinterest.commit(anInput(await closedPort()))).toMatchObject({
      outcome: 'transient',
    })
  })

  test('has an unknown outcome when the connection breaks', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    expect(await pinterest.commit(anInput(server.url))).toMatchObject({ outcome: 'unknown' })
    expect(server.received).toHaveLength(1)
  })

  test.each([
    ['a picture that is nowhere', {}],
    ['fewer pictures than the post has', { images: [] }],
    ['a video that is not processed', { video: { mediaId: '5', isProcessed: false } }],
  ])('is not made with %s', async (_, unready) => {
    await using server = await scriptedServer(() => ({ body: PIN }))
    expect(await pinterest.commit(anInput(server.url, { step: unready }))).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_missing',
    })
    expect(server.received).toEqual([])
  })
})

describe('looking up a pin', () => {
  const now = new Date().toISOString().slice(0, 19)
  const old = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
  const pin = (more = {}) => ({ ...PIN, created_at: now, ...more })

  async function lookUp(answer: Answer) {
    await using server = await scriptedServer(() => answer)
    const found = await pinterest.lookUp(anInput(server.url))
    expect(server.received).toMatchObject([{ method: 'GET', path: '/boards/7/pins' }])
    return found
  }

  test('finds it by its texts among those of the board since the call', async () => {
    const items = [pin({ description: 'Another', id: '83' }), pin(), pin({ created_at: old })]
    expect(await lookUp({ body: { items, bookmark: null } })).toEqual({
      found: {
        platformPostId: '81',
        url: 'https://www.pinterest.com/pin/81/',
        publishedAt: new Date(`${now}Z`).toISOString(),
      },
    })
  })

  test.each<[string, object[], object]>([
    ['nothing is there', [], { absent: true }],
    ['it is older than the call', [pin({ created_at: old })], { absent: true }],
    ['nobody knows how old it is', [pin({ created_at: null })], { absent: true }],
    ['it has a title', [pin({ title: 'Another' })], { absent: true }],
    ['two fit', [pin(), pin()], { cannotTell: expect.any(String) }],
    [
      'the list does not reach back to the call',
      Array.from({ length: 25 }, () => pin({ title: 'Another' })),
      { cannotTell: expect.any(String) },
    ],
  ])('says so when %s', async (_, items, expected) => {
    expect(await lookUp({ body: { items } })).toEqual(expected)
  })

  test.each<[Answer]>([[{ status: 500, body: '' }], [{ status: 401, body: '' }], [{ body: '<' }]])(
    'answered with %j is open',
    async (answer) => {
      expect(await lookUp(answer)).toHaveProperty('cannotTell')
    },
  )
})
