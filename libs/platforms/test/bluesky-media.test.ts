import { describe, expect, test } from 'vitest'
import { blueskyConnector as bluesky } from '../src/bluesky/connector.ts'
import { FileUnavailable, FileUnfit, type PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

const picture = aPublishFile('med_1', 'image')
const video = aPublishFile('med_1', 'video')

function aBlob(name: string, size: number, mimeType = 'image/jpeg') {
  return { $type: 'blob', ref: { $link: name }, mimeType, size }
}

const PICTURE_BLOB = aBlob('bafy1', 'picture of med_1'.length)
const STEP = { mentions: {}, files: { med_1: { blob: PICTURE_BLOB, width: 40, height: 30 } } }

async function prepare(media: PublishFile[], answer: Answer, step?: Record<string, unknown>) {
  await using server = await scriptedServer(() => answer)
  const input = aPublishInput({ baseUrl: server.url, account: 'did:plc:ada', media })
  const kept: unknown[] = []
  const onStep = async (done: Record<string, unknown>) => void kept.push(done)
  const outcome = await bluesky.prepare({ ...input, step: step ?? {}, onStep })
  return { outcome, kept, received: server.received }
}

async function recordOf(media: PublishFile[], files: Record<string, unknown>) {
  await using server = await scriptedServer(() => ({ status: 500, body: '' }))
  const step = { mentions: {}, files }
  const input = aPublishInput({ baseUrl: server.url, account: 'did:plc:ada', media, step })
  await bluesky.commit(input)
  await bluesky.commit({ ...input })
  const [one, other] = server.received
  expect(one!.body).toBe(other!.body)
  return JSON.parse(one!.body).record
}

describe('a file for Bluesky', () => {
  test('is sent as the picture it was made into, and kept with its shape', async () => {
    const { outcome, kept, received } = await prepare([picture], { body: { blob: PICTURE_BLOB } })
    expect(outcome).toEqual({ outcome: 'ready', step: STEP })
    expect(kept).toEqual([STEP])
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/xrpc/com.atproto.repo.uploadBlob',
        headers: {
          authorization: 'Bearer token-1',
          'content-type': 'image/jpeg',
          'content-length': '16',
        },
        body: 'picture of med_1',
      },
    ])
  })

  test('is sent as it is when it is a video', async () => {
    const blob = aBlob('bafy1', 'bytes of med_1'.length, 'video/mp4')
    const { outcome, received } = await prepare([video], { body: { blob } })
    expect(outcome).toEqual({
      outcome: 'ready',
      step: { mentions: {}, files: { med_1: { blob, width: null, height: null } } },
    })
    expect(received[0]).toMatchObject({
      headers: { 'content-type': 'video/mp4' },
      body: 'bytes of med_1',
    })
  })

  test('is not sent again once it is kept, and mentions are not asked for again', async () => {
    const { outcome, received } = await prepare([picture], { status: 500 }, STEP)
    expect(outcome).toEqual({ outcome: 'ready', step: STEP })
    expect(received).toEqual([])
  })

  test.each<[string, Answer, object]>([
    [
      'that is too large for the server fails for good',
      { status: 413, body: { error: 'PayloadTooLarge', message: 'request entity too large' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      'under an old token waits for a new one',
      { status: 400, body: { error: 'ExpiredToken', message: 'Token has expired' } },
      { outcome: 'reauth' },
    ],
    ['that comes too soon waits', { status: 429, body: '' }, { outcome: 'rate_limited' }],
    ['that the server fails at is sent again', { status: 500, body: '' }, { outcome: 'transient' }],
    ['with an unreadable answer is sent again', { body: '<html>' }, { outcome: 'transient' }],
    [
      'of which not all has arrived is sent again',
      { body: { blob: { ...PICTURE_BLOB, size: 3 } } },
      { outcome: 'transient' },
    ],
  ])('%s', async (_, answer, expected) => {
    const { outcome, kept } = await prepare([picture], answer)
    expect(outcome).toMatchObject(expected)
    expect(kept).toEqual([])
  })

  test.each([
    [
      new FileUnavailable('It is gone.', { retryable: false }),
      { outcome: 'permanent', errorCode: 'media_missing', message: 'It is gone.' },
    ],
    [new FileUnavailable('It is away.', { retryable: true }), { outcome: 'transient' }],
    [new FileUnfit('It is too thin.'), { outcome: 'permanent', errorCode: 'media_unfit' }],
  ])('that rejects with %s answers an outcome', async (error, expected) => {
    const media = [{ ...picture, image: () => Promise.reject(error) }]
    expect((await prepare(media, { body: {} })).outcome).toMatchObject(expected)
  })
})

describe('the record of a post on Bluesky', () => {
  test('has pictures in the order of the post, each with its shape and an alt text', async () => {
    const media = [
      aPublishFile('med_2', 'gif', { altText: 'A „boat“' }),
      aPublishFile('med_1', 'image'),
    ]
    const files = {
      med_1: { blob: aBlob('bafy1', 1), width: 40, height: 30 },
      med_2: { blob: aBlob('bafy2', 2), width: 20, height: 10 },
    }
    expect((await recordOf(media, files)).embed).toEqual({
      $type: 'app.bsky.embed.images',
      images: [
        { image: files.med_2.blob, alt: 'A „boat“', aspectRatio: { width: 20, height: 10 } },
        { image: files.med_1.blob, alt: '', aspectRatio: { width: 40, height: 30 } },
      ],
    })
  })

  test('has a video with its shape and alt text', async () => {
    const blob = aBlob('bafy1', 1, 'video/mp4')
    const files = { med_1: { blob, width: 1280, height: 720 } }
    expect((await recordOf([{ ...video, altText: 'A boat' }], files)).embed).toEqual({
      $type: 'app.bsky.embed.video',
      video: blob,
      alt: 'A boat',
      aspectRatio: { width: 1280, height: 720 },
    })
  })

  test('is not made without one of its files', async () => {
    await using server = await scriptedServer(() => ({ body: {} }))
    const input = aPublishInput({
      baseUrl: server.url,
      media: [picture, aPublishFile('med_2', 'gif')],
    })
    expect(await bluesky.commit({ ...input, step: STEP })).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_missing',
    })
    expect(server.received).toEqual([])
  })
})
