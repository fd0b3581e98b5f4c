import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { discordConnector as discord } from '../src/discord/connector.ts'
import { FileUnavailable, FileUnfit, type LookUpInput } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, type Script, scriptedServer } from './scripted-server.ts'

const MESSAGE = {
  id: '900',
  channel_id: '800',
  content: 'Hello',
  timestamp: '2026-11-21T09:30:01.500000+00:00',
  author: { id: '700' },
  attachments: [],
}
const NONCE = /^[0-9a-f]{25}$/

function inputFor(url: string, more: Partial<LookUpInput> = {}): LookUpInput {
  const settings = { apiUrl: `${url}/api/v10`, appUrl: 'https://app.example' }
  return aPublishInput({
    settings,
    token: 'bot.token.1',
    account: '800',
    limits: { guildId: '600' },
    ...more,
  })
}

async function committed(script: Script, more: Partial<LookUpInput> = {}) {
  await using server = await scriptedServer(script)
  const outcome = await discord.commit(inputFor(server.url, more))
  return { outcome, received: server.received }
}

async function formOf({ headers, body }: { headers: object; body: string }) {
  const type = new Map(Object.entries(headers)).get('content-type') as string
  return await new Response(body, { headers: { 'content-type': type } }).formData()
}

describe('the call that posts a message to Discord', () => {
  test('carries text, options, key and the token of the bot, and answers where the message is', async () => {
    const { outcome, received } = await committed(() => ({ body: MESSAGE }), {
      text: 'Grüße @everyone',
      options: { suppressEmbeds: true, silent: true },
    })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: '900',
      url: 'https://app.example/channels/600/800/900',
      publishedAt: '2026-11-21T09:30:01.500Z',
    })
    const [request, ...others] = received
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/api/v10/channels/800/messages' })
    expect(request!.headers).toMatchObject({
      authorization: 'Bot bot.token.1',
      'user-agent': expect.stringMatching(/^DiscordBot /),
      'content-type': 'application/json',
    })
    expect(JSON.parse(request!.body)).toEqual({
      content: 'Grüße @everyone',
      nonce: expect.stringMatching(NONCE),
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
      flags: 4 | 4096,
    })
  })

  test('has the same nonce for every call of a post and channel, and another for others', async () => {
    const nonces = []
    for (const idempotencyKey of ['post_1.chan_1.1', 'post_1.chan_1.1', 'post_1.chan_2.1']) {
      const { received } = await committed(() => ({ body: MESSAGE }), { idempotencyKey })
      nonces.push(JSON.parse(received[0]!.body).nonce)
    }
    expect(nonces[0]).toBe(nonces[1])
    expect(nonces[0]).not.toBe(nonces[2])
  })

  test('carries the files in their order, pictures as they were made to fit, with their alt texts', async () => {
    const media = [
      aPublishFile('med_1', 'image', { altText: 'Ein „Bild“' }),
      aPublishFile('med_2', 'video'),
      aPublishFile('med_3', 'document'),
    ]
    const { outcome, received } = await committed(() => ({ body: MESSAGE }), { media, text: '' })
    expect(outcome).toMatchObject({ outcome: 'published' })
    const form = await formOf(received[0]!)
    const payload = JSON.parse(form.get('payload_json') as string)
    const names = payload.attachments.map(({ filename }: { filename: string }) => filename)
    expect(names).toEqual([
      expect.stringMatching(/^file1-\w{12}\.jpg$/),
      expect.stringMatching(/^file2-\w{12}\.mp4$/),
      expect.stringMatching(/^file3-\w{12}\.pdf$/),
    ])
    expect(payload).toMatchObject({
      content: '',
      attachments: [{ id: 0, description: 'Ein „Bild“' }, { id: 1 }, { id: 2 }],
    })
    const texts = [0, 1, 2].map((index) => (form.get(`files[${index}]`) as File).text())
    expect(await Promise.all(texts)).toEqual([
      'picture of med_1',
      'bytes of med_2',
      'bytes of med_3',
    ])
  })

  test('of a webhook waits for the message, has no key, and tells no token', async () => {
    const { outcome, received } = await committed(() => ({ body: MESSAGE }), {
      token: '500/hook-token',
      account: '500',
    })
    expect(outcome).toMatchObject({ url: 'https://app.example/channels/600/800/900' })
    expect(received[0]).toMatchObject({
      path: '/api/v10/webhooks/500/hook-token',
      query: { wait: 'true' },
    })
    expect(received[0]!.headers).not.toHaveProperty('authorization')
    expect(JSON.parse(received[0]!.body)).toEqual({
      content: 'Hello',
      allowed_mentions: { parse: [] },
    })
  })

  const invalid = (field: string) => ({
    code: 50035,
    message: 'Invalid Form Body',
    errors: field.split('.').reduceRight<object>((inner, name) => ({ [name]: inner }), {
      _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be shorter.' }],
    }),
  })
  test.each<[number, unknown, object]>([
    [401, { code: 0, message: '401: Unauthorized' }, { outcome: 'reauth' }],
    [401, { code: 50027, message: 'Invalid Webhook Token' }, { outcome: 'reauth' }],
    [403, { code: 50001, message: 'Missing Access' }, { outcome: 'reauth' }],
    [404, { code: 10003, message: 'Unknown Channel' }, { outcome: 'reauth' }],
    [404, { code: 10004, message: 'Unknown Guild' }, { outcome: 'reauth' }],
    [404, { code: 10015, message: 'Unknown Webhook' }, { outcome: 'reauth' }],
    [
      403,
      { code: 50013, message: 'Missing Permissions' },
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      400,
      { code: 200000, message: 'Message was blocked' },
      { outcome: 'permanent', errorCode: 'content_blocked' },
    ],
    [
      400,
      { code: 240000, message: 'Message contains a harmful link' },
      { outcome: 'permanent', errorCode: 'content_blocked' },
    ],
    [400, invalid('content'), { outcome: 'permanent', errorCode: 'text_too_long' }],
    [
      400,
      invalid('attachments.0.description'),
      { outcome: 'permanent', errorCode: 'alt_text_too_long' },
    ],
    [
      400,
      invalid('embeds'),
      {
        outcome: 'permanent',
        errorCode: 'platform_rejected',
        message:
          'Discord refused the post: Invalid Form Body; embeds: BASE_TYPE_MAX_LENGTH Must be shorter.',
      },
    ],
    [
      400,
      { code: 50006, message: 'Cannot send an empty message' },
      { outcome: 'permanent', errorCode: 'text_empty' },
    ],
    [
      413,
      { code: 40005, message: 'Request entity too large' },
      { outcome: 'permanent', errorCode: 'too_large' },
    ],
    [413, '<html>', { outcome: 'permanent', errorCode: 'too_large' }],
    [
      400,
      { code: 50045, message: 'File uploaded exceeds the maximum size' },
      { outcome: 'permanent', errorCode: 'too_large' },
    ],
    [403, '<html>', { outcome: 'rate_limited' }],
    [400, '<html>', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [429, { message: 'You are being rate limited.' }, { outcome: 'rate_limited', retryAt: null }],
    [429, { code: 20016, message: 'slowmode' }, { outcome: 'rate_limited' }],
    [408, '', { outcome: 'unknown' }],
    [500, { code: 0, message: '500' }, { outcome: 'unknown' }],
    [503, { code: 130000, message: 'overloaded' }, { outcome: 'unknown' }],
    [302, '', { outcome: 'unknown' }],
    [200, '{"id": "1', { outcome: 'unknown' }],
    [200, { id: '1' }, { outcome: 'unknown' }],
    [204, '', { outcome: 'unknown' }],
  ])('answered with %i and %j', async (status, body, expected) => {
    const { outcome } = await committed(() => ({ status, body }))
    expect(outcome).toMatchObject(expected)
  })

  test.each<[string, Answer, number]>([
    [
      'in its body before the rounded header',
      { headers: { 'retry-after': '65' }, body: { retry_after: 64.57 } },
      64_570,
    ],
    ['in its headers alone', { headers: { 'retry-after': '3' }, body: '' }, 3_000],
    ['by its bucket', { headers: { 'x-ratelimit-reset-after': '1.25' }, body: {} }, 1_250],
  ])('is made again when Discord says, %s', async (_, answer, ms) => {
    const before = Date.now()
    const { outcome } = await committed(() => ({ status: 429, ...answer }))
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    expect(outcome.retryAt).toBeGreaterThanOrEqual(before + ms)
    expect(outcome.retryAt).toBeLessThanOrEqual(Date.now() + ms)
  })

  test('has certainly not happened when nobody listens', async () => {
    expect(await discord.commit(inputFor(await closedPort()))).toMatchObject({
      outcome: 'transient',
    })
  })

  test('has an unknown outcome when the connection breaks after all of it was sent', async () => {
    const { outcome, received } = await committed((_, response) => void response.destroy(), {
      media: [aPublishFile('med_1', 'image')],
    })
    expect(outcome).toMatchObject({ outcome: 'unknown' })
    expect(received).toHaveLength(1)
  })

  const breaking = (error: Error) =>
    Readable.from(
      (async function* () {
        yield Buffer.from('bytes')
        throw error
      })(),
    )
  test.each<[string, boolean, object]>([
    ['for now', true, { outcome: 'transient', message: 'It is away.', isOwnFault: true }],
    ['for good', false, { outcome: 'permanent', errorCode: 'media_missing' }],
  ])(
    'has certainly not happened when a file breaks off while it is sent, %s',
    async (_, retryable, expected) => {
      const error = new FileUnavailable('It is away.', { retryable })
      const media = [aPublishFile('med_1', 'video', { open: async () => breaking(error) })]
      const { outcome, received } = await committed(() => ({ body: MESSAGE }), { media })
      expect(outcome).toMatchObject(expected)
      expect(received).toEqual([])
    },
  )

  test('has certainly not happened when the time is over before the last file was sent', async () => {
    const stop = new AbortController()
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from('by')
        stop.abort()
        await new Promise(() => undefined)
      })(),
    )
    const media = [aPublishFile('med_1', 'video', { open: async () => slow })]
    const { outcome } = await committed(() => ({ body: MESSAGE }), { media, signal: stop.signal })
    expect(outcome).toMatchObject({
      outcome: 'transient',
      message: expect.stringContaining('had not been sent to its end'),
    })
  })
})

describe('preparing a message for Discord', () => {
  test('makes each picture once for preparing and the call', async () => {
    let made = 0
    const image = async () => {
      made += 1
      return { bytes: Buffer.from('made'), mimeType: 'image/png', width: 4, height: 3 }
    }
    const media = [aPublishFile('med_1', 'image', { image })]
    await using server = await scriptedServer(() => ({ body: MESSAGE }))
    const input = inputFor(server.url, { media })
    const { step: _, ...fresh } = input
    expect(await discord.prepare(fresh)).toEqual({ outcome: 'ready', step: {} })
    expect(server.received).toEqual([])
    expect(await discord.commit(input)).toMatchObject({ outcome: 'published' })
    expect(made).toBe(1)
  })

  test('ends a post whose picture cannot be made to fit', async () => {
    const image = () => Promise.reject(new FileUnfit('It is too long and thin.'))
    const media = [aPublishFile('med_1', 'image', { image })]
    const { step: _, ...input } = inputFor('http://127.0.0.1:1', { media })
    expect(await discord.prepare(input)).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_unfit',
    })
  })

  test('is not done twice', async () => {
    const image = () => Promise.reject(new Error('It was made already.'))
    const media = [aPublishFile('med_1', 'image', { image })]
    const input = inputFor('http://127.0.0.1:1', { media, step: {} })
    expect(await discord.prepare(input)).toEqual({ outcome: 'ready', step: {} })
  })

  test('refuses options that are not understood', async () => {
    const input = inputFor('http://127.0.0.1:1', { options: { tts: true } })
    expect(await discord.prepare(input)).toMatchObject({ errorCode: 'invalid_options' })
    expect(await discord.commit(input)).toMatchObject({ errorCode: 'invalid_options' })
  })
})

describe('looking for a message of a bot on Discord', () => {
  const now = () => new Date().toISOString()

  async function lookedUp(messages: object[], more: Partial<LookUpInput> = {}) {
    await using server = await scriptedServer(({ path }) => ({
      body: path.endsWith('/users/@me') ? { id: '700' } : messages,
    }))
    return await discord.lookUp(inputFor(server.url, more))
  }

  async function nonce() {
    const { received } = await committed(() => ({ body: MESSAGE }))
    return JSON.parse(received[0]!.body).nonce as string
  }

  const url = 'https://app.example/channels/600/800/900'
  test.each<[string, object[], object]>([
    ['finds the same text', [{ ...MESSAGE, timestamp: now() }], { found: { url } }],
    [
      'leaves white space aside',
      [{ ...MESSAGE, content: ' Hello\n', timestamp: now() }],
      { found: { url } },
    ],
    ['does not take an older one', [MESSAGE], { absent: true }],
    [
      "does not take somebody else's",
      [{ ...MESSAGE, timestamp: now(), author: { id: '701' } }],
      { absent: true },
    ],
    [
      'does not take one of another key',
      [{ ...MESSAGE, timestamp: now(), nonce: 'other' }],
      { absent: true },
    ],
    [
      'does not take one with files',
      [{ ...MESSAGE, timestamp: now(), attachments: [{ filename: 'a.png' }] }],
      { absent: true },
    ],
    [
      'leaves it open between two',
      [
        { ...MESSAGE, timestamp: now() },
        { ...MESSAGE, id: '901', timestamp: now() },
      ],
      { cannotTell: expect.any(String) },
    ],
    [
      'leaves it open when the list does not reach back to the call',
      Array.from({ length: 100 }, (_, index) => ({
        ...MESSAGE,
        id: String(index),
        content: String(index),
        timestamp: now(),
      })),
      { cannotTell: expect.any(String) },
    ],
    ['finds nothing in an empty channel', [], { absent: true }],
  ])('%s', async (_, messages, expected) => {
    expect(await lookedUp(messages)).toMatchObject(expected)
  })

  test('knows it by its nonce before any text', async () => {
    const ours = { ...MESSAGE, content: 'edited', nonce: await nonce(), timestamp: now() }
    expect(await lookedUp([{ ...MESSAGE, id: '901', timestamp: now() }, ours])).toMatchObject({
      found: { platformPostId: '900' },
    })
  })

  test('knows it by the names of its files', async () => {
    const filename = `file1-${(await nonce()).slice(0, 12)}.jpg`
    const media = [aPublishFile('med_1', 'image')]
    const ours = { ...MESSAGE, attachments: [{ filename }], timestamp: now() }
    expect(await lookedUp([ours], { media })).toMatchObject({ found: { url } })
    const other = { ...MESSAGE, attachments: [{ filename: 'file1-0.jpg' }], timestamp: now() }
    expect(await lookedUp([other], { media })).toEqual({ absent: true })
  })

  test.each<[string, Answer]>([
    ['refuses', { status: 403, body: { code: 50001 } }],
    ['answers no JSON', { body: '<html>' }],
    ['asks to wait', { status: 429, body: {} }],
  ])('leaves it open when Discord %s', async (_, answer) => {
    await using server = await scriptedServer(() => answer)
    expect(await discord.lookUp(inputFor(server.url))).toHaveProperty('cannotTell')
  })

  test('leaves it open for a webhook, without a call', async () => {
    await using server = await scriptedServer(() => ({ body: [] }))
    const input = inputFor(server.url, { token: '500/hook-token' })
    expect(await discord.lookUp(input)).toHaveProperty('cannotTell')
    expect(server.received).toEqual([])
  })
})
