import { describe, expect, test } from 'vitest'
import { linkedinConnector as linkedin } from '../src/linkedin/connector.ts'
import type { LookUpInput, PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const MEMBER = 'urn:li:person:abc'
const CREATED: Answer = { status: 201, headers: { 'x-restli-id': 'urn:li:share:19' }, body: '' }

async function commit(answer: Answer, input: Partial<LookUpInput> = {}) {
  await using server = await scriptedServer(() => answer)
  const settings = { apiUrl: server.url, webUrl: 'https://linkedin.example', version: '202609' }
  const outcome = await linkedin.commit(aPublishInput({ settings, account: MEMBER, ...input }))
  return { outcome, received: server.received }
}

const permanent = (errorCode: string) => ({ outcome: 'permanent', errorCode })

describe('preparing a post for LinkedIn', () => {
  test('has nothing to do for a text', async () => {
    const settings = { apiUrl: await closedPort() }
    expect(await linkedin.prepare(aPublishInput({ settings }))).toEqual({
      outcome: 'ready',
      step: {},
    })
  })

  test('refuses options that are not understood', async () => {
    expect(await linkedin.prepare(aPublishInput({ options: { poll: {} } }))).toMatchObject(
      permanent('invalid_options'),
    )
  })
})

describe('the call that makes a post live on LinkedIn', () => {
  test('carries author, escaped text, headers and token, and answers where the post is', async () => {
    const { outcome, received } = await commit(CREATED, {
      text: 'Grüße (all)',
      options: { visibility: 'CONNECTIONS' },
    })
    expect(outcome).toMatchObject({
      outcome: 'published',
      platformPostId: 'urn:li:share:19',
      url: 'https://linkedin.example/feed/update/urn:li:share:19/',
    })
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ method: 'POST', path: '/rest/posts' })
    expect(received[0]!.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'linkedin-version': '202609',
      'x-restli-protocol-version': '2.0.0',
      'content-type': 'application/json',
    })
    expect(JSON.parse(received[0]!.body)).toEqual({
      author: MEMBER,
      commentary: 'Grüße \\(all\\)',
      visibility: 'CONNECTIONS',
      distribution: {
        feedDistribution: 'MAIN_FEED',
        targetEntities: [],
        thirdPartyDistributionChannels: [],
      },
      lifecycleState: 'PUBLISHED',
      isReshareDisabledByAuthor: false,
    })
  })

  const upload = (urn: string) => ({ urn, isWhole: true, isReady: true })
  const image = (id: string, altText: string | null = null) =>
    aPublishFile(id, 'image', { altText })
  test.each<[string, PublishFile[], Record<string, unknown>, object, object]>([
    [
      'one picture',
      [image('a', 'A boat')],
      { a: upload('urn:li:image:1') },
      {},
      { media: { id: 'urn:li:image:1', altText: 'A boat' } },
    ],
    [
      'pictures in the order of the post',
      [image('b'), image('a', 'A boat')],
      { a: upload('urn:li:image:1'), b: upload('urn:li:image:2') },
      {},
      {
        multiImage: {
          images: [{ id: 'urn:li:image:2' }, { id: 'urn:li:image:1', altText: 'A boat' }],
        },
      },
    ],
    [
      'a document with the title that is given',
      [aPublishFile('a', 'document', { altText: 'Report' })],
      { a: upload('urn:li:document:1') },
      { documentTitle: 'Title' },
      { media: { id: 'urn:li:document:1', title: 'Title' } },
    ],
    [
      'a document with its name as the title',
      [aPublishFile('a', 'document', { altText: 'Figures', fileName: 'Report 2.0.pdf' })],
      { a: upload('urn:li:document:1') },
      {},
      { media: { id: 'urn:li:document:1', title: 'Report 2.0' } },
    ],
    [
      'a document with the start of a long name',
      [aPublishFile('a', 'document', { fileName: `${'x'.repeat(500)}.pdf` })],
      { a: upload('urn:li:document:1') },
      {},
      { media: { id: 'urn:li:document:1', title: 'x'.repeat(400) } },
    ],
    [
      'a document without a name',
      [aPublishFile('a', 'document', { fileName: '.pdf' })],
      { a: upload('urn:li:document:1') },
      {},
      { media: { id: 'urn:li:document:1', title: 'Document' } },
    ],
  ])('has %s', async (_, media, uploads, options, content) => {
    const { received } = await commit(CREATED, {
      media,
      step: { uploads },
      options: { ...options },
    })
    expect(JSON.parse(received[0]!.body).content).toEqual(content)
  })

  test('is not made without one of its files', async () => {
    const media = [image('a'), image('b')]
    const { outcome, received } = await commit(CREATED, {
      media,
      step: { uploads: { a: upload('urn:li:image:1') } },
    })
    expect(outcome).toMatchObject(permanent('media_missing'))
    expect(received).toEqual([])
  })

  test('takes the id from the body where the header has none', async () => {
    const { outcome } = await commit({ status: 201, body: { id: 'urn:li:ugcPost:20' } })
    expect(outcome).toMatchObject({ outcome: 'published', platformPostId: 'urn:li:ugcPost:20' })
  })

  test.each<[number, object, object]>([
    [401, { code: 'EXPIRED_ACCESS_TOKEN' }, { outcome: 'reauth' }],
    [403, { code: 'ACCESS_DENIED' }, permanent('missing_permission')],
    [426, { code: 'NONEXISTENT_VERSION' }, permanent('platform_version')],
    [400, { code: 'FIELD_LENGTH_TOO_LONG', message: 'commentary' }, permanent('text_too_long')],
    [
      400,
      { errorDetails: { inputErrors: [{ code: 'FIELD_LENGTH_TOO_LONG' }] } },
      permanent('text_too_long'),
    ],
    [422, { message: 'Content is a duplicate of urn:li:share:19' }, permanent('duplicate')],
    [422, { errorDetails: { inputErrors: [{ code: 'DUPLICATE_POST' }] } }, permanent('duplicate')],
    [400, { message: 'urn:li:video:1 is not ready: PROCESSING' }, { outcome: 'transient' }],
    [400, { message: 'urn:li:image:1 is not found' }, { outcome: 'unprepared' }],
    [
      400,
      { message: 'Odd' },
      { ...permanent('platform_rejected'), message: 'LinkedIn refused the post: Odd' },
    ],
    [422, { message: 'Odd' }, permanent('platform_rejected')],
    [429, { code: 'TOO_MANY_REQUESTS' }, { outcome: 'rate_limited', retryAt: null }],
    [409, { code: 'CONFLICT' }, { outcome: 'unknown' }],
    [500, { message: 'Unable to obtain activity' }, { outcome: 'unknown' }],
    [503, {}, { outcome: 'unknown' }],
    [302, {}, { outcome: 'unknown' }],
    [201, {}, { outcome: 'unknown' }],
    [201, { id: 'odd' }, { outcome: 'unknown' }],
  ])('answered with %i %j', async (status, body, expected) => {
    expect((await commit({ status, body })).outcome).toMatchObject(expected)
  })

  test('has certainly not happened when nobody listens', async () => {
    const settings = { apiUrl: await closedPort() }
    expect(await linkedin.commit(aPublishInput({ settings }))).toMatchObject({
      outcome: 'transient',
    })
  })

  test('has an unknown outcome when the connection breaks after it was sent', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    const input = aPublishInput({ settings: { apiUrl: server.url } })
    expect(await linkedin.commit(input)).toMatchObject({ outcome: 'unknown' })
    expect(server.received).toHaveLength(1)
  })
})

describe('a repeat that LinkedIn refuses while it names the first post', () => {
  const began = Date.UTC(2026, 10, 21, 9, 30)
  const idOf = (at: number) => String(BigInt(at) << 22n)
  test.each<[string, number, number, object]>([
    [
      'is live when that was made between the first attempt and this one',
      began + 1000,
      began + 60_000,
      { outcome: 'published', publishedAt: new Date(began + 1000).toISOString() },
    ],
    ['is no proof on the first attempt', began + 1000, began, permanent('duplicate')],
    ['is of another post when that is older', began - 6000, began + 60_000, permanent('duplicate')],
    [
      'is of none when that is newer, since refused repeats get ids too',
      began + 66_000,
      began + 60_000,
      permanent('duplicate'),
    ],
  ])('%s', async (_, madeAt, attemptedAt, expected) => {
    const body = {
      message: `com.linkedin.X: Content is a duplicate of urn:li:share:${idOf(madeAt)}`,
    }
    const times = { rkeyTime: began, createdAt: new Date(attemptedAt).toISOString() }
    const { outcome } = await commit({ status: 422, body }, times)
    expect(outcome).toMatchObject(expected)
  })
})
