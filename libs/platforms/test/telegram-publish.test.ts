import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { FileUnavailable, FileUnfit, type LookUpInput } from '../src/platform.ts'
import { telegramConnector as telegram } from '../src/telegram/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, type Script, scriptedServer } from './scripted-server.ts'

const MESSAGE = {
  message_id: 42,
  date: Date.UTC(2026, 10, 21, 9, 30) / 1000,
  chat: { id: -1001234, type: 'channel', title: 'Harbour', username: 'harbour' },
  text: 'Hello',
}
const TOKEN = '123:secret-of-the-bot'

function inputFor(url: string, more: Partial<LookUpInput> = {}): LookUpInput {
  const settings = { apiUrl: url, appUrl: 'https://t.me' }
  return aPublishInput({ settings, token: TOKEN, account: '-1001234', ...more })
}

async function committed(script: Script, more: Partial<LookUpInput> = {}) {
  await using server = await scriptedServer(script)
  const outcome = await telegram.commit(inputFor(server.url, more))
  return { outcome, received: server.received }
}

const sent = (result: unknown = MESSAGE): Answer => ({ body: { ok: true, result } })

async function formOf({ headers, body }: { headers: object; body: string }) {
  const type = new Map(Object.entries(headers)).get('content-type') as string
  return await new Response(body, { headers: { 'content-type': type } }).formData()
}

describe('the call that posts to Telegram', () => {
  test('carries text and options, and answers where the message is', async () => {
    const { outcome, received } = await committed(() => sent(), {
      text: '<b>Grüße</b>',
      options: {
        parseMode: 'HTML',
        disableNotification: true,
        disableLinkPreview: true,
        protectContent: true,
      },
    })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: '42',
      url: 'https://t.me/harbour/42',
      publishedAt: '2026-11-21T09:30:00.000Z',
    })
    const [request, ...others] = received
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: `/bot${TOKEN}/sendMessage` })
    expect(JSON.parse(request!.body)).toEqual({
      chat_id: '-1001234',
      text: '<b>Grüße</b>',
      parse_mode: 'HTML',
      disable_notification: true,
      protect_content: true,
      link_preview_options: { is_disabled: true },
    })
  })

  test('says only what is asked for', async () => {
    const { received } = await committed(() => sent())
    expect(JSON.parse(received[0]!.body)).toEqual({ chat_id: '-1001234', text: 'Hello' })
  })

  test.each<[string, number, string]>([
    ['a channel without a name', -1001234, 'https://t.me/c/1234/42'],
    ['a group', -567, 'https://t.me/c/567/42'],
  ])('answers the address that members of %s have', async (_, id, url) => {
    const { outcome } = await committed(() => sent({ ...MESSAGE, chat: { id } }))
    expect(outcome).toMatchObject({ outcome: 'published', url })
  })

  test.each<['image' | 'gif' | 'video' | 'document', string, string, string]>([
    ['image', 'sendPhoto', 'photo', 'photo1.jpg'],
    ['gif', 'sendAnimation', 'animation', 'animation1.gif'],
    ['video', 'sendVideo', 'video', 'video1.mp4'],
    ['document', 'sendDocument', 'document', 'document1.pdf'],
  ])('sends a single %s by %s with the text as its caption', async (type, method, field, name) => {
    const media = [aPublishFile('med_1', type, { width: 640, height: 360, durationSeconds: 2.6 })]
    const { outcome, received } = await committed(() => sent(), {
      media,
      options: { parseMode: 'MarkdownV2', protectContent: true },
    })
    expect(outcome).toMatchObject({ outcome: 'published', platformPostId: '42' })
    expect(received[0]!.path).toBe(`/bot${TOKEN}/${method}`)
    const form = await formOf(received[0]!)
    const isMoving = type === 'gif' || type === 'video'
    const texts = [...form].filter(([, value]) => typeof value === 'string')
    expect(Object.fromEntries(texts)).toEqual({
      chat_id: '-1001234',
      caption: 'Hello',
      parse_mode: 'MarkdownV2',
      protect_content: 'true',
      [field]: 'attach://file1',
      ...(isMoving && { width: '640', height: '360', duration: '3' }),
      ...(type === 'video' && { supports_streaming: 'true' }),
    })
    const file = form.get('file1') as File
    expect(file.name).toBe(name)
    expect(await file.text()).toBe(`${type === 'image' ? 'picture' : 'bytes'} of med_1`)
  })

  test('sends a video that is no MP4 as a document', async () => {
    const media = [aPublishFile('med_1', 'video', { mimeType: 'video/webm' })]
    const { received } = await committed(() => sent(), { media })
    expect(received[0]!.path).toBe(`/bot${TOKEN}/sendDocument`)
  })

  test('sends several files as an album in their order, with the text on the first', async () => {
    const media = [
      aPublishFile('med_1', 'image'),
      aPublishFile('med_2', 'video', { width: 640, height: 360 }),
    ]
    const answer = sent([MESSAGE, { ...MESSAGE, message_id: 43 }])
    const { outcome, received } = await committed(() => answer, {
      media,
      options: { parseMode: 'HTML', disableNotification: true },
    })
    expect(outcome).toMatchObject({ platformPostId: '42', url: 'https://t.me/harbour/42' })
    expect(received[0]!.path).toBe(`/bot${TOKEN}/sendMediaGroup`)
    const form = await formOf(received[0]!)
    expect([...form.keys()]).toEqual(['chat_id', 'disable_notification', 'media', 'file1', 'file2'])
    expect(JSON.parse(form.get('media') as string)).toEqual([
      { type: 'photo', media: 'attach://file1', caption: 'Hello', parse_mode: 'HTML' },
      {
        type: 'video',
        media: 'attach://file2',
        width: 640,
        height: 360,
        supports_streaming: true,
      },
    ])
    expect(await (form.get('file2') as File).text()).toBe('bytes of med_2')
  })

  test('has no caption without a text', async () => {
    const media = [aPublishFile('med_1', 'image')]
    const { received } = await committed(() => sent(), {
      media,
      text: ' ',
      options: { parseMode: 'HTML' },
    })
    const form = await formOf(received[0]!)
    expect([...form.keys()]).toEqual(['chat_id', 'photo', 'file1'])
  })

  const bad = (description: string, parameters?: object) => ({
    ok: false,
    error_code: 400,
    description,
    ...(parameters && { parameters }),
  })
  test.each<[number, unknown, object]>([
    [401, bad('Unauthorized'), { outcome: 'reauth' }],
    [404, bad('Not Found'), { outcome: 'reauth' }],
    [403, bad('Forbidden: bot was kicked from the channel chat'), { outcome: 'reauth' }],
    [403, bad('Forbidden: bot is not a member of the channel chat'), { outcome: 'reauth' }],
    [400, bad('Bad Request: chat not found'), { outcome: 'reauth' }],
    [
      400,
      bad('Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: -100567,
      }),
      { outcome: 'reauth', message: expect.stringContaining('supergroup') },
    ],
    [
      400,
      bad('Bad Request: need administrator rights in the channel chat'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      400,
      bad('Bad Request: not enough rights to send photos to the chat'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      403,
      bad('Forbidden: CHAT_WRITE_FORBIDDEN'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      400,
      bad('Bad Request: message is too long'),
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      400,
      bad('Bad Request: message caption is too long'),
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      400,
      bad("Bad Request: can't parse entities: Unsupported start tag"),
      { outcome: 'permanent', errorCode: 'invalid_markup' },
    ],
    [
      400,
      bad('Bad Request: message text is empty'),
      { outcome: 'permanent', errorCode: 'text_empty' },
    ],
    [
      400,
      bad('Bad Request: PHOTO_INVALID_DIMENSIONS'),
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      400,
      bad('Bad Request: file of size 11000000 bytes is too big for a photo'),
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      400,
      bad('Bad Request: something new'),
      {
        outcome: 'permanent',
        errorCode: 'platform_rejected',
        message: 'Telegram refused the post: Bad Request: something new',
      },
    ],
    [413, bad('Request Entity Too Large'), { outcome: 'permanent', errorCode: 'too_large' }],
    [413, '<html>', { outcome: 'permanent', errorCode: 'too_large' }],
    [404, '<html>', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [403, '<html>', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [429, '<html>', { outcome: 'rate_limited', retryAt: null }],
    [409, bad('Conflict'), { outcome: 'unknown' }],
    [500, bad('Internal Server Error'), { outcome: 'unknown' }],
    [502, '<html>Bad Gateway</html>', { outcome: 'unknown' }],
    [302, '', { outcome: 'unknown' }],
    [200, '{"ok":true,"res', { outcome: 'unknown' }],
    [200, { ok: true, result: { message_id: 42 } }, { outcome: 'unknown' }],
    [200, { ok: true, result: [] }, { outcome: 'unknown' }],
    [200, bad('Bad Request: chat not found'), { outcome: 'unknown' }],
  ])('answered with %i and %j', async (status, body, expected) => {
    const { outcome } = await committed(() => ({ status, body }))
    expect(outcome).toMatchObject(expected)
  })

  test('is made again when the body of the refusal says', async () => {
    const before = Date.now()
    const body = bad('Too Many Requests: retry after 35', { retry_after: 35 })
    const { outcome } = await committed(() => ({ status: 429, body }))
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 35_000)
    expect(outcome.retryAt).toBeLessThanOrEqual(Date.now() + 35_000)
  })

  test('tells no token in what it comes to', async () => {
    const scripts: Script[] = [
      () => ({ status: 500, body: '' }),
      (_, response) => void response.destroy(),
    ]
    for (const script of scripts) {
      const { outcome } = await committed(script)
      expect(JSON.stringify(outcome)).not.toContain('secret-of-the-bot')
    }
    const nowhere = await telegram.commit(inputFor(await closedPort()))
    expect(nowhere).toMatchObject({ outcome: 'transient' })
    expect(JSON.stringify(nowhere)).not.toContain('secret-of-the-bot')
  })

  test('has an unknown outcome when the connection breaks after all of it was sent', async () => {
    const { outcome, received } = await committed((_, response) => void response.destroy(), {
      media: [aPublishFile('med_1', 'video')],
    })
    expect(outcome).toMatchObject({ outcome: 'unknown' })
    expect(received).toHaveLength(1)
  })

  test('has certainly not happened when a file breaks off while it is sent', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('bytes')
        throw new FileUnavailable('It is away.', { retryable: true })
      })(),
    )
    const media = [aPublishFile('med_1', 'video', { open: async () => broken })]
    const { outcome, received } = await committed(() => sent(), { media })
    expect(outcome).toMatchObject({ outcome: 'transient', message: 'It is away.' })
    expect(received).toEqual([])
  })

  test('of unknown outcome is never settled, and never looked for', async () => {
    await using server = await scriptedServer(() => sent())
    expect(await telegram.lookUp(inputFor(server.url))).toHaveProperty('cannotTell')
    expect(server.received).toEqual([])
    expect(telegram.settles).toBe('none')
  })
})

describe('preparing a post for Telegram', () => {
  test('makes each picture once for preparing and the call, within the limits of a photo', async () => {
    const asked: unknown[] = []
    const media = [
      aPublishFile('med_1', 'image', {
        image: async (limits) => {
          asked.push(limits)
          return { bytes: Buffer.from('made'), mimeType: 'image/png', width: 4, height: 3 }
        },
      }),
    ]
    await using server = await scriptedServer(() => sent())
    const input = inputFor(server.url, { media })
    const { step: _, ...fresh } = input
    expect(await telegram.prepare(fresh)).toEqual({ outcome: 'ready', step: {} })
    expect(server.received).toEqual([])
    expect(await telegram.commit(input)).toMatchObject({ outcome: 'published' })
    expect(asked).toEqual([
      {
        mimeTypes: ['image/jpeg', 'image/png'],
        maxBytes: 10_000_000,
        maxWidth: 5000,
        maxHeight: 5000,
      },
    ])
  })

  test.each<[string, Partial<LookUpInput>, object]>([
    [
      'whose picture cannot be made to fit',
      {
        media: [
          aPublishFile('med_1', 'image', {
            image: () => Promise.reject(new FileUnfit('It is too long and thin.')),
          }),
        ],
      },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      'whose files have no room together',
      { media: [aPublishFile('med_1', 'video', { sizeBytes: 60_000_000 })] },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      'with options that are not understood',
      { options: { parseMode: 'BBCode' } },
      { outcome: 'permanent', errorCode: 'invalid_options' },
    ],
  ])('ends one %s', async (_, more, expected) => {
    const { step: _step, ...input } = inputFor('http://127.0.0.1:1', more)
    expect(await telegram.prepare(input)).toMatchObject(expected)
  })

  test('is not done twice', async () => {
    const image = () => Promise.reject(new Error('It was made already.'))
    const media = [aPublishFile('med_1', 'image', { image })]
    const input = inputFor('http://127.0.0.1:1', { media, step: {} })
    expect(await telegram.prepare(input)).toEqual({ outcome: 'ready', step: {} })
  })
})
