import { describe, expect, test } from 'vitest'
import { linkedinConnector as linkedin } from '../src/linkedin/connector.ts'
import type { PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, type Received, scriptedServer } from './scripted-server.ts'

const picture = aPublishFile('med_1', 'image')
const document = aPublishFile('med_1', 'document')
const video = aPublishFile('med_1', 'video', { bytes: Buffer.from('0123456789') })

type Answers = { begin?: Answer; put?: Answer; end?: Answer; states?: Answer[] }
const state = (status: string, more = {}): Answer => ({ body: { status, ...more } })

/** What preparing comes to on a LinkedIn that answers so; of the states of a file the last one stays. */
async function prepare(
  media: PublishFile[],
  answers: Answers = {},
  step: Record<string, unknown> = {},
) {
  const states = [...(answers.states ?? [state('AVAILABLE')])]
  let parts = 0
  await using server = await scriptedServer(({ method, path, query, headers }) => {
    const base = `http://${headers.host}`
    if (query['action'] === 'finalizeUpload') return answers.end ?? { body: '' }
    if (method === 'POST' && answers.begin) return answers.begin
    if (path === '/rest/videos')
      return {
        body: {
          value: {
            video: 'urn:li:video:1',
            uploadToken: 'token-2',
            uploadInstructions: [
              { uploadUrl: `${base}/up/0`, firstByte: 0, lastByte: 3 },
              { uploadUrl: `${base}/up/1`, firstByte: 4, lastByte: 9 },
            ],
          },
        },
      }
    if (method === 'POST') {
      const kind = path.slice('/rest/'.length, -1)
      return { body: { value: { uploadUrl: `${base}/up`, [kind]: `urn:li:${kind}:1` } } }
    }
    if (method === 'PUT')
      return answers.put ?? { status: 201, headers: { etag: `"tag-${parts++}"` }, body: '' }
    return (states.length > 1 ? states.shift() : states[0])!
  })
  const kept: Record<string, unknown>[] = []
  const onStep = async (done: Record<string, unknown>) => void kept.push(structuredClone(done))
  const input = aPublishInput({
    settings: { apiUrl: server.url },
    account: 'urn:li:person:a',
    media,
  })
  const outcome = await linkedin.prepare({ ...input, step, onStep })
  return { outcome, kept, received: server.received }
}

function paths(received: Received[]): string[] {
  return received.map(({ method, path }) => `${method} ${path}`)
}

const ready = (urn: string) => ({
  outcome: 'ready',
  step: {
    uploads: { med_1: { urn, token: expect.any(String), parts: [], isWhole: true, isReady: true } },
  },
})

describe('a file for LinkedIn', () => {
  test.each<[string, PublishFile, string, string, string]>([
    ['a picture', picture, 'image', 'picture of med_1', 'image/jpeg'],
    ['a document', document, 'document', 'bytes of med_1', 'application/pdf'],
  ])('that is %s is sent in one piece, once', async (_, file, kind, bytes, type) => {
    const { outcome, received } = await prepare([file])
    expect(outcome).toEqual(ready(`urn:li:${kind}:1`))
    expect(paths(received)).toEqual([
      `POST /rest/${kind}s`,
      'PUT /up',
      `GET /rest/${kind}s/urn%3Ali%3A${kind}%3A1`,
    ])
    expect(JSON.parse(received[0]!.body)).toEqual({
      initializeUploadRequest: { owner: 'urn:li:person:a' },
    })
    expect([received[1]!.body, received[1]!.headers['content-type']]).toEqual([bytes, type])
    if (outcome.outcome !== 'ready') return
    expect((await prepare([file], {}, outcome.step)).received).toEqual([])
  })

  test('that is a video is sent in the parts that LinkedIn names, and ended with their tags', async () => {
    const { outcome, received } = await prepare([video])
    expect(outcome).toEqual(ready('urn:li:video:1'))
    expect(JSON.parse(received[0]!.body).initializeUploadRequest).toMatchObject({
      fileSizeBytes: 10,
    })
    expect(received.slice(1, 3).map(({ body }) => body)).toEqual(['0123', '456789'])
    expect(JSON.parse(received[3]!.body)).toEqual({
      finalizeUploadRequest: {
        video: 'urn:li:video:1',
        uploadToken: 'token-2',
        uploadedPartIds: ['tag-0', 'tag-1'],
      },
    })
  })

  test('that is a video is begun again when LinkedIn does not take up the upload', async () => {
    const parts = [{ url: 'http://127.0.0.1:1/gone', first: 0, last: 9, etag: 'tag-0' }]
    const step = {
      uploads: {
        med_1: { urn: 'urn:li:video:9', token: '', parts, isWhole: false, isReady: false },
      },
    }
    const { outcome, kept } = await prepare([video], { end: { status: 400, body: {} } }, step)
    expect(outcome).toMatchObject({ outcome: 'transient' })
    expect(kept).toEqual([{ uploads: {} }])
  })

  test.each<[string, Answer[], object]>([
    [
      'ready when LinkedIn says so',
      [state('PROCESSING'), state('WAITING_UPLOAD'), state('AVAILABLE')],
      ready('urn:li:image:1'),
    ],
    [
      'taken for ready when the token may not ask',
      [{ status: 403, body: {} }],
      ready('urn:li:image:1'),
    ],
    [
      'the end of its post when it cannot be processed',
      [state('PROCESSING_FAILED', { processingFailureReason: 'Odd' })],
      {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'LinkedIn cannot process a file of the post: Odd',
      },
    ],
    ['asked for later when LinkedIn fails', [{ status: 503, body: '' }], { outcome: 'transient' }],
    [
      'asked for later when LinkedIn answers nonsense',
      [{ body: '<html>' }],
      { outcome: 'transient' },
    ],
    ['asked for later with another token', [{ status: 401, body: {} }], { outcome: 'reauth' }],
  ])('is %s', async (_, states, expected) => {
    expect((await prepare([picture], { states })).outcome).toMatchObject(expected)
  })
})

describe.each(['begin', 'put', 'end'] as const)('an upload to LinkedIn whose %s', (which) => {
  test.each<[Answer, object]>([
    [
      { status: 400, body: {} },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      { status: 413, body: '' },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      { status: 403, body: {} },
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      { status: 426, body: {} },
      { outcome: 'permanent', errorCode: 'platform_version' },
    ],
    [{ status: 401, body: {} }, { outcome: 'reauth' }],
    [
      { status: 429, body: {} },
      { outcome: 'rate_limited', retryAt: null },
    ],
    [{ status: 500, body: '' }, { outcome: 'transient' }],
  ])('is answered with %j', async (answer, expected) => {
    expect((await prepare([video], { [which]: answer })).outcome).toMatchObject(expected)
  })
})

test('a part that LinkedIn gives no tag is sent again later', async () => {
  const { outcome, kept } = await prepare([video], { put: { status: 200, body: '' } })
  expect(outcome).toMatchObject({ outcome: 'transient' })
  expect(kept).toHaveLength(1)
})
