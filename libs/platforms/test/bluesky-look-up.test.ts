import { describe, expect, test } from 'vitest'
import { blueskyConnector as bluesky } from '../src/bluesky/connector.ts'
import { webUrlOf } from '../src/bluesky/record.ts'
import { rkeyOf } from '../src/bluesky/rkey.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const RKEY = rkeyOf(aPublishInput({}))
const URI = `at://did:plc:ada/app.bsky.feed.post/${RKEY}`
const ADA = { account: 'did:plc:ada', username: 'ada.test' }

describe('looking for a post on Bluesky', () => {
  const RECORD = {
    uri: URI,
    cid: 'bafy',
    value: { $type: 'app.bsky.feed.post', text: 'Hello', createdAt: '2026-11-21T09:30:00.000Z' },
  }

  async function lookUp(answer: Answer) {
    await using server = await scriptedServer(() => answer)
    const calledAt = '2026-11-21T09:30:02.000Z'
    const found = await bluesky.lookUp(aPublishInput({ ...ADA, baseUrl: server.url, calledAt }))
    return { found, server }
  }

  test('reads the record of its key, without a token', async () => {
    const { found, server } = await lookUp({ body: RECORD })
    expect(found).toEqual({
      found: {
        platformPostId: URI,
        url: `${server.url}/profile/ada.test/post/${RKEY}`,
        publishedAt: '2026-11-21T09:30:02.000Z',
      },
    })
    expect(server.received).toMatchObject([
      {
        method: 'GET',
        path: '/xrpc/com.atproto.repo.getRecord',
        query: { repo: 'did:plc:ada', collection: 'app.bsky.feed.post', rkey: RKEY },
      },
    ])
    expect(server.received[0]!.headers.authorization).toBeUndefined()
  })

  test.each([
    { error: 'RecordNotFound', message: 'Could not locate record' },
    { error: 'InvalidRequest', message: `Could not locate record: ${URI}` },
  ])('says that it is not there when the server says %j', async (body) => {
    expect((await lookUp({ status: 400, body })).found).toEqual({ absent: true })
  })

  test.each<[string, Answer]>([
    ['another post has the key', { body: { ...RECORD, value: { text: 'Other' } } }],
    ['the answer is unreadable', { body: '<html>' }],
    ['there is no such method', { status: 404, body: '<html>' }],
    [
      'the server does not know the account',
      { status: 400, body: { error: 'InvalidRequest', message: 'Could not find repo' } },
    ],
    ['the server fails', { status: 500, body: { error: 'RecordNotFound' } }],
  ])('cannot tell when %s', async (_, answer) => {
    expect((await lookUp(answer)).found).toEqual({ cannotTell: expect.any(String) })
  })

  test('cannot tell when nobody listens', async () => {
    const baseUrl = await closedPort()
    expect(await bluesky.lookUp(aPublishInput({ ...ADA, baseUrl }))).toEqual({
      cannotTell: expect.any(String),
    })
  })
})

describe('the posts of', () => {
  test.each([
    'https://bsky.social',
    'https://pds.example.com',
    'https://oyster.us-east.host.bsky.network',
  ])('%s are shown by bsky.app', (baseUrl) => expect(webUrlOf(baseUrl)).toBe('https://bsky.app'))

  test.each([
    'http://127.0.0.1:4000/bluesky',
    'http://localhost:4000',
    'http://pds.localhost',
    'http://[::1]:4000',
    'http://sandbox:4000',
    'https://sandbox.example.com/bluesky',
  ])('%s are shown by itself', (baseUrl) => expect(webUrlOf(`${baseUrl}/`)).toBe(baseUrl))
})
