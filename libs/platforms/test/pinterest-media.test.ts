import { describe, expect, test } from 'vitest'
import { pinterestConnector as pinterest } from '../src/pinterest/connector.ts'
import { FileUnfit, type HostedImage, type ImageLimits, type PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, type Received, scriptedServer } from './scripted-server.ts'

type Answers = { registered?: Answer; stored?: Answer; states?: Answer[] }
const SUCCEEDED = { body: { media_id: '55', media_type: 'video', status: 'succeeded' } }

async function prepare(media: PublishFile[], answers: Answers = {}, step = {}) {
  const states = [...(answers.states ?? [SUCCEEDED])]
  await using server = await scriptedServer(({ path, headers }) => {
    if (path === '/storage') return answers.stored ?? { status: 204, body: '' }
    if (path.startsWith('/media/')) return (states.length > 1 ? states.shift() : states[0]) ?? {}
    const upload_url = `http://${headers.host}/storage`
    const upload_parameters = { key: 'uploads/55', policy: 'p1' }
    return (
      answers.registered ?? { status: 201, body: { media_id: '55', upload_url, upload_parameters } }
    )
  })
  const kept: unknown[] = []
  const input = aPublishInput({
    settings: { apiUrl: server.url },
    options: { boardId: '7' },
    media,
    step,
  })
  const onStep = async (done: Record<string, unknown>) => void kept.push(structuredClone(done))
  const outcome = await pinterest.prepare({ ...input, onStep })
  return { outcome, kept, received: server.received }
}

const paths = (received: Received[]) => received.map(({ method, path }) => `${method} ${path}`)
const READY = { video: { mediaId: '55', isProcessed: true } }
const WAITING = { video: { mediaId: '55', isProcessed: false } }
const video = aPublishFile('med_1', 'video')

describe('a video for Pinterest', () => {
  test('is announced, sent in the form that Pinterest answers, and waited for', async () => {
    const processing = { body: { media_id: '55', status: 'processing' } }
    const { outcome, kept, received } = await prepare([video], { states: [processing, SUCCEEDED] })
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(kept).toEqual([WAITING, READY])
    expect(paths(received)).toEqual([
      'POST /media',
      'POST /storage',
      'GET /media/55',
      'GET /media/55',
    ])
    const [registered, upload] = received
    expect(JSON.parse(registered!.body)).toEqual({ media_type: 'video' })
    expect(upload!.headers).not.toHaveProperty('authorization')
    const form = await new Response(upload!.body, {
      headers: { 'content-type': upload!.headers['content-type'] ?? '' },
    }).formData()
    expect([...form.keys()]).toEqual(['key', 'policy', 'file'])
    expect(await (form.get('file') as File).text()).toBe('bytes of med_1')
  })

  test('that is uploaded is only waited for, and one that is processed is ready at once', async () => {
    const waited = await prepare([video], {}, WAITING)
    expect(waited.outcome).toEqual({ outcome: 'ready', step: READY })
    expect(paths(waited.received)).toEqual(['GET /media/55'])
    expect((await prepare([video], {}, READY)).received).toEqual([])
  })

  test('is sent again by the next call when Pinterest has lost it', async () => {
    const { outcome, kept } = await prepare(
      [video],
      { states: [{ status: 404, body: '' }] },
      WAITING,
    )
    expect(outcome).toMatchObject({ outcome: 'transient' })
    expect(kept).toEqual([{}])
  })

  test.each<[string, Answers, object]>([
    ['announcing 401', { registered: { status: 401, body: '' } }, { outcome: 'reauth' }],
    ['announcing 429', { registered: { status: 429, body: '' } }, { outcome: 'rate_limited' }],
    ['announcing 500', { registered: { status: 500, body: '' } }, { outcome: 'transient' }],
    ['announcing nonsense', { registered: { status: 201, body: {} } }, { outcome: 'transient' }],
    [
      'sending 400',
      { stored: { status: 400, body: '<Error><Code>EntityTooLarge</Code></Error>' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    ['sending 403', { stored: { status: 403, body: '' } }, { outcome: 'transient' }],
    ['sending 503', { stored: { status: 503, body: '' } }, { outcome: 'transient' }],
    [
      'processing',
      { states: [{ body: { media_id: '55', status: 'failed' } }] },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    ['asking 401', { states: [{ status: 401, body: '' }] }, { outcome: 'reauth' }],
    ['asking 503', { states: [{ status: 503, body: '' }] }, { outcome: 'transient' }],
    ['asking nonsense', { states: [{ body: { status: 'odd' } }] }, { outcome: 'transient' }],
  ])('whose %s fails', async (_, answers, expected) => {
    expect((await prepare([video], answers)).outcome).toMatchObject(expected)
  })
})

/** A picture that is hosted in a size of its own unless it is asked for a smaller one. */
function hosted(id: string, width: number, height: number, asked: ImageLimits[] = []): PublishFile {
  const imageUrl = async (limits: ImageLimits): Promise<HostedImage> => {
    asked.push(limits)
    const scale = Math.min(
      1,
      (limits.maxWidth ?? width) / width,
      (limits.maxHeight ?? height) / height,
    )
    const size = { width: Math.round(width * scale), height: Math.round(height * scale) }
    return { url: `https://files.example/${id}-${size.width}`, mimeType: 'image/jpeg', ...size }
  }
  return aPublishFile(id, 'image', { imageUrl })
}

describe('the pictures of a pin', () => {
  test('are hosted within the limits of Pinterest, which is not asked for anything', async () => {
    const asked: ImageLimits[] = []
    const input = aPublishInput({
      settings: { apiUrl: await closedPort() },
      options: { boardId: '7' },
      media: [hosted('med_1', 400, 300, asked), hosted('med_2', 400, 300)],
    })
    expect(await pinterest.prepare(input)).toEqual({
      outcome: 'ready',
      step: { images: ['https://files.example/med_1-400', 'https://files.example/med_2-400'] },
    })
    expect(asked).toEqual([
      { mimeTypes: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 20_000_000 },
    ])
  })

  test('are made as small as the smallest, so that they have one size', async () => {
    const { outcome } = await prepare([hosted('a', 400, 300), hosted('b', 200, 150)])
    expect(outcome).toMatchObject({
      step: { images: ['https://files.example/a-200', 'https://files.example/b-200'] },
    })
  })

  test('of two shapes are not a pin', async () => {
    const { outcome } = await prepare([hosted('a', 400, 300), hosted('b', 300, 400)])
    expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_unfit' })
  })

  test('are hosted once', async () => {
    const imageUrl = () => Promise.reject(new FileUnfit('It was hosted before.'))
    const step = { images: ['https://files.example/med_1'] }
    const media = [aPublishFile('med_1', 'image', { imageUrl })]
    expect((await prepare(media, {}, step)).outcome).toEqual({ outcome: 'ready', step })
  })

  test('are as they are when they are animated', async () => {
    const { outcome } = await prepare([aPublishFile('med_1', 'gif')])
    expect(outcome).toMatchObject({ step: { images: ['https://files.example/med_1'] } })
  })

  test('must be there', async () => {
    expect((await prepare([])).outcome).toMatchObject({ errorCode: 'media_missing' })
  })
})

test.each<[Answer, 'refused' | 'unavailable']>([
  [{ status: 401, body: { code: 283, message: 'The authorization grant is invalid' } }, 'refused'],
  [{ status: 400, body: { code: 1, message: 'Invalid refresh token' } }, 'refused'],
  [{ status: 401, body: { code: 2, message: 'Authentication failed.' } }, 'unavailable'],
  [{ status: 400, body: '<html>' }, 'unavailable'],
  [{ status: 403, body: { code: 29, message: 'No' } }, 'unavailable'],
  [{ status: 500, body: '' }, 'unavailable'],
  [{ body: {} }, 'unavailable'],
])('a grant whose renewal is answered with %j is %s', async (answer, kind) => {
  await using server = await scriptedServer(() => answer)
  const settings = { tokenUrl: server.url, clientId: 'app', clientSecret: 'secret' }
  const secrets = { accessToken: 'a', refreshToken: 'r', expiresAt: '1000' }
  const renewing = pinterest.freshToken({ baseUrl: '', settings, secrets, now: 2000 })
  await expect(renewing).rejects.toMatchObject({ kind })
  expect(server.received).toMatchObject([
    { body: 'grant_type=refresh_token&refresh_token=r&continuous_refresh=true' },
  ])
})
