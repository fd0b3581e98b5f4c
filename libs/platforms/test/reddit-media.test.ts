import { describe, expect, test } from 'vitest'
import { reddit as entry } from '../src/reddit/platform.ts'
import { redditConnector as reddit } from '../src/reddit/connector.ts'
import { FileUnavailable, FileUnfit, type PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

const FIELDS = [
  { name: 'key', value: 'rte_images/a1' },
  { name: 'policy', value: 'p1' },
]

/** What preparing these files comes to when Reddit leases and stores them so. */
async function prepare(media: PublishFile[], answers: { lease?: Answer; stored?: Answer } = {}) {
  await using server = await scriptedServer(({ path, headers }) => {
    if (path === '/storage') return answers.stored ?? { status: 201, body: '<PostResponse/>' }
    const args = { action: `//${headers.host}/storage`, fields: FIELDS }
    return answers.lease ?? { body: { args, asset: { asset_id: 'a1', websocket_url: 'wss://a' } } }
  })
  const kept: unknown[] = []
  const outcome = await reddit.prepare({
    ...aPublishInput({
      settings: { apiUrl: server.url, userAgent: 'test:herald:v1' },
      options: { subreddit: 'boats', title: 'A boat' },
      media,
    }),
    onStep: async (step) => void kept.push(step),
  })
  return { outcome, kept, received: server.received, url: server.url }
}

describe('a file for Reddit', () => {
  test('is announced, and sent in the form that Reddit answers', async () => {
    const { outcome, kept, received, url } = await prepare([aPublishFile('med_1', 'image')])
    const step = {
      uploads: { med_1: { assetId: 'a1', url: `${url}/storage/rte_images/a1` } },
    }
    expect(outcome).toEqual({ outcome: 'ready', step })
    expect(kept).toEqual([step])
    const [lease, upload] = received
    expect(lease).toMatchObject({
      path: '/api/media/asset.json',
      body: 'filepath=file.jpg&mimetype=image%2Fjpeg',
      headers: { authorization: 'Bearer token-1', 'user-agent': 'test:herald:v1' },
    })
    // The storage is not Reddit: it is not told who posts.
    expect(upload?.headers).not.toHaveProperty('authorization')
    const form = await new Response(upload?.body ?? '', {
      headers: { 'content-type': upload?.headers['content-type'] ?? '' },
    }).formData()
    expect([...form.keys()]).toEqual(['key', 'policy', 'file'])
    expect(await (form.get('file') as File).text()).toBe('picture of med_1')
  })

  test('is a video under its first frame where one can be had, else under a black picture', async () => {
    const frame = await prepare([aPublishFile('med_1', 'video')])
    expect(frame.received[1]?.body).toContain('picture of med_1')
    expect(frame.kept).toHaveLength(2)
    const image = () => Promise.reject(new FileUnfit('A video is no picture.'))
    const black = await prepare([aPublishFile('med_1', 'video', { image })])
    expect(black.received[0]?.body).toBe('filepath=file.png&mimetype=image%2Fpng')
    expect(black.outcome).toMatchObject({
      outcome: 'ready',
      step: { poster: { assetId: 'a1' }, uploads: { med_1: { assetId: 'a1' } } },
    })
  })

  test('that is away for now is not replaced by a black picture', async () => {
    const away = new FileUnavailable('The storage is away.', { retryable: true })
    const image = () => Promise.reject(away)
    const { outcome, received } = await prepare([aPublishFile('med_1', 'video', { image })])
    expect(outcome).toMatchObject({ outcome: 'transient', message: 'The storage is away.' })
    expect(received).toEqual([])
  })

  test.each<[string, { lease?: Answer; stored?: Answer }, object]>([
    ['announcing 401', { lease: { status: 401, body: '' } }, { outcome: 'reauth' }],
    ['announcing 429', { lease: { status: 429, body: '' } }, { outcome: 'rate_limited' }],
    ['announcing 500', { lease: { status: 500, body: '' } }, { outcome: 'transient' }],
    ['announcing nonsense', { lease: { body: { args: {} } } }, { outcome: 'transient' }],
    [
      'sending 400',
      { stored: { status: 400, body: '<Error><Code>EntityTooLarge</Code></Error>' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      'sending 403',
      { stored: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } },
      { outcome: 'transient' },
    ],
    ['sending 503', { stored: { status: 503, body: '' } }, { outcome: 'transient' }],
  ])('whose %s fails', async (_, answers, expected) => {
    const { outcome, kept } = await prepare([aPublishFile('med_1', 'image')], answers)
    expect(outcome).toMatchObject(expected)
    expect(kept).toEqual([])
  })
})

test('an app that is not set up is named when somebody wants to connect', async () => {
  const settings = { authorizeUrl: entry.settings['authorizeUrl'] ?? '' }
  const grant = { baseUrl: '', settings, redirectUri: 'https://a.example', now: 0, state: 's' }
  await expect(reddit.oauth?.begin(grant)).rejects.toThrow('REDDIT_CLIENT_ID')
})

test.each<[Answer, 'refused' | 'unavailable']>([
  [{ status: 400, body: { message: 'Bad Request', error: 400 } }, 'refused'],
  [{ body: { error: 'invalid_grant' } }, 'refused'],
  [{ status: 400, body: '<html>' }, 'unavailable'],
  [{ status: 401, body: { message: 'Unauthorized', error: 401 } }, 'unavailable'],
  [{ status: 429, body: '' }, 'unavailable'],
  [{ status: 500, body: '' }, 'unavailable'],
  [{ body: '{}' }, 'unavailable'],
])('a grant whose renewal is answered with %j is %s', async (answer, kind) => {
  await using server = await scriptedServer(() => answer)
  const settings = { tokenUrl: server.url, clientId: 'app', clientSecret: 'secret' }
  const secrets = { accessToken: 'a', refreshToken: 'r', expiresAt: '1000' }
  const renewing = reddit.freshToken({ baseUrl: '', settings, secrets, now: 2000 })
  await expect(renewing).rejects.toMatchObject({ kind })
})
