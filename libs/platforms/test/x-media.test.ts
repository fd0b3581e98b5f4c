import { describe, expect, test } from 'vitest'
import { xConnector as x } from '../src/x/connector.ts'
import { FileUnavailable, type PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, type Received, scriptedServer } from './scripted-server.ts'

const MB = 1024 * 1024
const picture = aPublishFile('med_1', 'image')
const video = aPublishFile('med_1', 'video', { bytes: Buffer.alloc(2 * MB + 5, 'v') })

type Answers = {
  begin?: Answer
  append?: Answer
  finalize?: Answer
  metadata?: Answer
  states?: Answer[]
}

const pending: Answer = {
  body: {
    data: { id: '7', media_key: '7_7', processing_info: { state: 'pending', check_after_secs: 1 } },
  },
}
const state = (name: string, more = {}): Answer => ({
  body: { data: { id: '7', media_key: '7_7', processing_info: { state: name, ...more } } },
})

/** What preparing comes to on an X that answers so; of the states of a file the last one stays. */
async function prepare(media: PublishFile[], answers: Answers, step?: Record<string, unknown>) {
  const states = [...(answers.states ?? [state('succeeded')])]
  await using server = await scriptedServer(({ path, method }) => {
    if (path.endsWith('/initialize'))
      return (
        answers.begin ?? {
          body: { data: { id: '7', media_key: '7_7', expires_after_secs: 86_400 } },
        }
      )
    if (path.endsWith('/append')) return answers.append ?? { body: { data: { expires_at: 1 } } }
    if (path.endsWith('/finalize'))
      return answers.finalize ?? { body: { data: { id: '7', media_key: '7_7' } } }
    if (path.endsWith('/metadata')) return answers.metadata ?? { body: { data: { id: '7' } } }
    if (method === 'GET') return (states.length > 1 ? states.shift() : states[0])!
    return { status: 500, body: '' }
  })
  const kept: Record<string, unknown>[] = []
  const onStep = async (done: Record<string, unknown>) => void kept.push(structuredClone(done))
  const input = aPublishInput({ settings: { apiUrl: server.url }, media })
  const outcome = await x.prepare({ ...input, step: step ?? {}, onStep })
  return { outcome, kept, received: server.received }
}

function paths(received: Received[]): string[] {
  return received.map(({ method, path }) => `${method} ${path.replace('/2/media/', '')}`)
}

const upload = (more = {}) => ({
  uploads: {
    med_1: {
      id: '7',
      key: '7_7',
      sizeBytes: 2 * MB + 5,
      sentBytes: 2 * MB + 5,
      isWhole: true,
      isReady: true,
      isDescribed: false,
      ...more,
    },
  },
})

describe('a file for X', () => {
  test('is announced, sent in parts, and closed', async () => {
    const { outcome, received } = await prepare([video], {})
    expect(outcome).toEqual({ outcome: 'ready', step: upload() })
    expect(paths(received)).toEqual([
      'POST upload/initialize',
      ...Array<string>(3).fill('POST upload/7/append'),
      'POST upload/7/finalize',
    ])
    expect(JSON.parse(received[0]!.body)).toEqual({
      media_type: 'video/mp4',
      total_bytes: 2 * MB + 5,
      media_category: 'tweet_video',
    })
    const parts = await Promise.all(received.slice(1, 4).map(formOf))
    expect(parts.map((form) => form.get('segment_index'))).toEqual(['0', '1', '2'])
    expect(parts.map((form) => (form.get('media') as File).size)).toEqual([MB, MB, 5])
  })

  test('is kept after each part, and what is kept is not sent again', async () => {
    const { kept } = await prepare([video], {})
    expect(kept.map((step) => sentBytes(step))).toEqual([0, MB, 2 * MB, 2 * MB + 5, 2 * MB + 5])
    const sent = [3, 2, 1, 0, 0]
    for (const [index, step] of kept.entries()) {
      const { outcome, received } = await prepare([video], {}, step)
      expect(outcome).toEqual({ outcome: 'ready', step: upload() })
      expect(paths(received).filter((path) => path.endsWith('append')).length).toBe(sent[index])
      expect(paths(received)).not.toContain('POST upload/initialize')
    }
  })

  test('gets its alt text, once', async () => {
    const described = { ...picture, altText: 'Zwei „Boote“' }
    const { outcome, received } = await prepare([described], {})
    expect(JSON.parse(received.at(-1)!.body)).toEqual({
      id: '7',
      metadata: { alt_text: { text: 'Zwei „Boote“' } },
    })
    if (outcome.outcome !== 'ready') throw new Error(outcome.message)
    expect((await prepare([described], {}, outcome.step)).received).toEqual([])
  })

  test('that is a picture is begun again unless it was sent as a whole', async () => {
    const { received } = await prepare([picture], {}, upload({ sentBytes: 3, isWhole: false }))
    expect(paths(received)[0]).toBe('POST upload/initialize')
  })

  test('whose upload X does not take up again is begun again by the next call', async () => {
    const answers = { append: { status: 400, body: { detail: 'Unknown media' } } }
    const step = upload({ sentBytes: MB, isWhole: false, isReady: false })
    const { outcome, kept } = await prepare([video], answers, step)
    expect(outcome).toMatchObject({ outcome: 'transient' })
    expect(kept.at(-1)).toEqual({ uploads: {} })
  })

  test('that cannot be read says so', async () => {
    const slice = () => Promise.reject(new FileUnavailable('It is gone.', { retryable: false }))
    const { outcome } = await prepare([{ ...video, slice }], {})
    expect(outcome).toEqual({
      outcome: 'permanent',
      errorCode: 'media_missing',
      message: 'It is gone.',
    })
  })
})

describe('a video that X processes', () => {
  test('is asked for until it is ready', async () => {
    const states = [state('pending'), state('in_progress'), state('succeeded')]
    const { outcome, kept, received } = await prepare([video], { finalize: pending, states })
    expect(outcome).toEqual({ outcome: 'ready', step: upload() })
    expect(kept.slice(-2)).toEqual([upload({ isReady: false }), upload()])
    expect(received.slice(-3).map(({ query }) => query)).toEqual(
      Array(3).fill({ command: 'STATUS', media_id: '7' }),
    )
  })

  test('is ready when X says nothing of processing', async () => {
    const states = [{ body: { data: { id: '7', media_key: '7_7' } } }]
    expect((await prepare([video], { finalize: pending, states })).outcome.outcome).toBe('ready')
  })

  test.each<[Answer, object]>([
    [
      state('failed', {
        error: { code: 1, name: 'InvalidMedia', message: 'Unsupported video format' },
      }),
      {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'X cannot process a file of the post: Unsupported video format',
      },
    ],
    [state('failed'), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [{ status: 401, body: '' }, { outcome: 'reauth' }],
    [{ status: 404, body: '' }, { outcome: 'transient' }],
    [{ status: 503, body: '' }, { outcome: 'transient' }],
    [{ status: 200, body: '<html>' }, { outcome: 'transient' }],
  ])('is answered with %j', async (answer, expected) => {
    const { outcome } = await prepare([video], { finalize: pending, states: [answer] })
    expect(outcome).toMatchObject(expected)
  })
})

describe.each(['begin', 'append', 'finalize'] as const)('an upload to X whose %s', (call) => {
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
    [{ status: 401, body: {} }, { outcome: 'reauth' }],
    [
      { status: 429, body: {} },
      { outcome: 'rate_limited', retryAt: null },
    ],
    [{ status: 500, body: '' }, { outcome: 'transient' }],
  ])('is answered with %j', async (answer, expected) => {
    expect((await prepare([picture], { [call]: answer })).outcome).toMatchObject(expected)
  })
})

test('an alt text that X does not take fails for good', async () => {
  const answers = { metadata: { status: 400, body: { detail: 'alt_text.text is too long' } } }
  const { outcome } = await prepare([{ ...picture, altText: 'x' }], answers)
  expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'alt_text_too_long' })
})

function formOf({ body, headers }: Received): Promise<FormData> {
  const contentType = headers['content-type'] ?? ''
  return new Response(body, { headers: { 'content-type': contentType } }).formData()
}

function sentBytes(step: Record<string, unknown>): number {
  const { uploads } = step as { uploads: { med_1: { sentBytes: number } } }
  return uploads.med_1.sentBytes
}
