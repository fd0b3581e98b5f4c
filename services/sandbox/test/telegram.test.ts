import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gif, mp4, png } from './media-bytes.ts'
import { sha256 } from './publish-file.ts'
import { testSandbox } from './sandbox.ts'
import { telegramBot, telegramForm } from './telegram.ts'

const REFUSED = (error_code: number, description: string) => ({
  status: error_code,
  body: { ok: false, error_code, description },
})

describe('a message on Telegram', () => {
  test('is answered with its chat and time, and is live at the address of the chat', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox, 'harbour')
    const { status, body } = await bot.post(' Hello ')
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      result: {
        message_id: 1,
        chat: { id: Number(bot.account), title: 'harbour', type: 'channel', username: 'harbour' },
        sender_chat: expect.any(Object),
        date: Date.UTC(2026, 10, 21, 12) / 1000,
        text: 'Hello',
      },
    })
    const [live] = await sandbox.live()
    expect(live).toMatchObject({ account: bot.account, id: '1', text: 'Hello', media: [] })
    expect(live.url).toBe(`${sandbox.url}/telegram/t.me/harbour/1`)
    expect((await sandbox.ask('GET', new URL(live.url).pathname)).body).toContain('Hello')
  })

  test.each([
    ['private1', /\/t\.me\/c\/\d+\/1$/, 'channel'],
    ['group1', /\/t\.me\/c\/\d+\/1$/, 'group'],
  ])('in %s is shown to its members', async (username, url, type) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox, username)
    expect((await bot.post('Hello')).body.result.chat).toEqual({
      id: Number(bot.account),
      title: username,
      type,
    })
    const [live] = await sandbox.live()
    expect(live.url).toMatch(url)
    expect((await sandbox.ask('GET', new URL(live.url).pathname)).status).toBe(200)
  })

  test.each<[string, string, string | undefined, string, object[]]>([
    ['plain text as it is', '<b>', undefined, '<b>', []],
    [
      'HTML',
      '🎉 <b>a <i>b</i></b> &lt;',
      'HTML',
      '🎉 a b <',
      [
        { type: 'italic', offset: 5, length: 1 },
        { type: 'bold', offset: 3, length: 3 },
      ],
    ],
    [
      'a link of HTML',
      '<a href="https://example.com/">x</a>',
      'html',
      'x',
      [{ type: 'text_link', offset: 0, length: 1, url: 'https://example.com/' }],
    ],
    [
      'MarkdownV2',
      '*a* _b_ 1\\.',
      'MarkdownV2',
      'a b 1.',
      [
        { type: 'bold', offset: 0, length: 1 },
        { type: 'italic', offset: 2, length: 1 },
      ],
    ],
    [
      'a link of MarkdownV2',
      'see [here](https://example.com/a_b)',
      'MarkdownV2',
      'see here',
      [{ type: 'text_link', offset: 4, length: 4, url: 'https://example.com/a_b' }],
    ],
    [
      'code of MarkdownV2',
      '```js\na.b()```',
      'MarkdownV2',
      'a.b()',
      [{ type: 'pre', offset: 0, length: 5 }],
    ],
  ])('has %s', async (_, text, parse_mode, shown, entities) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const { result } = (await bot.post(text, { parse_mode })).body
    expect(result.text).toBe(shown)
    expect(result.entities ?? []).toEqual(entities)
  })

  test.each<[string, string, Record<string, unknown>, string]>([
    ['without a text', ' ', {}, 'message text is empty'],
    ['of 4097 characters', 'x'.repeat(4097), {}, 'message is too long'],
    ['of 2049 emojis', '🎉'.repeat(2049), {}, 'message is too long'],
    ['to nobody', 'x', { chat_id: '' }, 'chat_id is empty'],
    ['to a chat that is not there', 'x', { chat_id: -5 }, 'chat not found'],
    ['to a name that is not there', 'x', { chat_id: '@nobody' }, 'chat not found'],
    ['in another format', 'x', { parse_mode: 'BBCode' }, 'unsupported parse_mode'],
    [
      'with a tag that Telegram does not know',
      'ä<p>x</p>',
      { parse_mode: 'HTML' },
      'can\'t parse entities: Unsupported start tag "p" at byte offset 2',
    ],
    [
      'with a tag that stays open',
      '<b>x',
      { parse_mode: 'HTML' },
      'can\'t parse entities: Can\'t find end tag corresponding to start tag "b"',
    ],
    [
      'with a tag that ends another',
      '<b>x</i>',
      { parse_mode: 'HTML' },
      "can't parse entities: Unmatched end tag at byte offset 4",
    ],
    [
      'with a character that is not escaped',
      'x.',
      { parse_mode: 'MarkdownV2' },
      "can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
    ],
    [
      'with a mark that stays open',
      'ä *x',
      { parse_mode: 'MarkdownV2' },
      "can't parse entities: Can't find end of the entity starting at byte offset 3",
    ],
    [
      'without the right to post',
      '#sandbox-fail:rights',
      {},
      'need administrator rights in the channel chat',
    ],
  ])('%s is refused', async (_, text, more, description) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    expect(await bot.post(text, more)).toMatchObject(REFUSED(400, `Bad Request: ${description}`))
    expect(await sandbox.live()).toEqual([])
  })

  test('is counted after its format is taken away', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const text = `<b>${'x'.repeat(4095)}</b>&amp;`
    expect((await bot.post(text, { parse_mode: 'HTML' })).status).toBe(200)
  })

  test.each([
    ['1:wrong_token', 401, 'Unauthorized'],
    ['wrong', 404, 'Not Found'],
  ])('with the token %s is refused', async (token, status, description) => {
    await using sandbox = await testSandbox()
    const { account } = await telegramBot(sandbox)
    const path = `/telegram/bot${token}/sendMessage`
    expect(
      await sandbox.ask('POST', path, { body: { chat_id: account, text: 'x' } }),
    ).toMatchObject(REFUSED(status, description))
  })

  test('of a bot of another chat is refused', async () => {
    await using sandbox = await testSandbox()
    const [bot, other] = [await telegramBot(sandbox), await telegramBot(sandbox)]
    expect(await bot.post('x', { chat_id: other.account })).toMatchObject(
      REFUSED(403, 'Forbidden: bot is not a member of the channel chat'),
    )
  })

  test('is refused after twenty in a minute, and the body says for how long', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    for (let count = 0; count < 20; count++) expect((await bot.post('x')).status).toBe(200)
    const { status, headers, body } = await bot.post('x')
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 60',
        parameters: { retry_after: 60 },
      },
    })
    expect(headers.get('retry-after')).toBe('60')
    await sandbox.advance(60)
    expect((await bot.post('x')).status).toBe(200)
  })

  test('is known by nothing when it is sent again', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    for (const id of [1, 2]) expect((await bot.post('x')).body.result.message_id).toBe(id)
    expect(await sandbox.requests()).toMatchObject([{ key: null }, { key: null }])
  })
})

describe('a file on Telegram', () => {
  test.each<[string, string, Buffer]>([
    ['sendPhoto', 'photo', png(40, 30)],
    ['sendVideo', 'video', mp4()],
    ['sendAnimation', 'animation', gif()],
    ['sendDocument', 'document', Buffer.from('%PDF-1.7')],
  ])('comes by %s with its bytes and its caption', async (method, field, bytes) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const fields = { chat_id: bot.account, caption: '*Look*', parse_mode: 'MarkdownV2' }
    const direct = await bot.ask(method, telegramForm(fields, { [field]: bytes }))
    expect(direct.body.result).toMatchObject({ caption: 'Look', [field]: expect.any(Object) })
    const attached = telegramForm({ ...fields, [field]: 'attach://mine' }, { mine: bytes })
    expect((await bot.ask(method, attached)).status).toBe(200)
    const sent = direct.body.result[field]
    const again = { ...fields, [field]: (sent.at?.(-1) ?? sent).file_id }
    expect((await bot.ask(method, again)).status).toBe(200)
    const live = await sandbox.live()
    expect(live.length).toBe(3)
    for (const one of live)
      expect(one).toMatchObject({ text: 'Look', media: [{ sha256: sha256(bytes) }] })
    const { body } = await sandbox.ask('GET', new URL(live[0].url).pathname)
    expect(body).toContain(new URL(live[0].media[0].url).pathname)
  })

  test.each<[string, string, Record<string, unknown>, Record<string, Buffer>, string]>([
    ['that is missing', 'sendPhoto', {}, {}, 'there is no photo in the request'],
    [
      'that is none of its own',
      'sendPhoto',
      { photo: 'abc' },
      {},
      'wrong file identifier/HTTP URL specified',
    ],
    [
      'whose caption is long',
      'sendPhoto',
      { caption: 'x'.repeat(1025) },
      { photo: png() },
      'message caption is too long',
    ],
    ['that is no picture', 'sendPhoto', {}, { photo: mp4() }, 'IMAGE_PROCESS_FAILED'],
    ['that is too large', 'sendPhoto', {}, { photo: png(5001, 5000) }, 'PHOTO_INVALID_DIMENSIONS'],
    ['that is too thin', 'sendPhoto', {}, { photo: png(2100, 100) }, 'PHOTO_INVALID_DIMENSIONS'],
    [
      'that has more than 10 MB',
      'sendPhoto',
      {},
      { photo: png(4, 3, 10_485_761) },
      'file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes',
    ],
    ['that is no video', 'sendVideo', {}, { video: png() }, 'VIDEO_CONTENT_TYPE_INVALID'],
    ['that is empty', 'sendDocument', {}, { document: Buffer.alloc(0) }, 'file must be non-empty'],
  ])('%s is refused', async (_, method, fields, files, description) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const form = telegramForm({ chat_id: bot.account, ...fields }, files)
    expect(await bot.ask(method, form)).toMatchObject(REFUSED(400, `Bad Request: ${description}`))
    expect(await sandbox.live()).toEqual([])
  })

  test('in a request above 50 MB is refused', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const form = telegramForm({ chat_id: bot.account }, { document: Buffer.alloc(50_000_000) })
    expect(await bot.ask('sendDocument', form)).toMatchObject(
      REFUSED(413, 'Request Entity Too Large'),
    )
  })

  test('is fetched from an address, once, and refused when there is none', async () => {
    const asked: string[] = []
    const files: Record<string, Buffer> = {
      '/a.png': png(40, 30),
      '/b.txt': Buffer.from('text'),
      '/large.png': png(4, 3, 5_000_001),
    }
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      const bytes = files[request.url ?? '']
      response.writeHead(bytes ? 200 : 404).end(bytes)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const send = (path: string) =>
      bot.ask('sendPhoto', { chat_id: bot.account, photo: `${origin}${path}` })
    expect((await send('/a.png')).body.result.photo).toMatchObject([{ width: 40, height: 30 }])
    expect(asked).toEqual(['/a.png'])
    for (const [path, description] of [
      ['/b.txt', 'wrong type of the web page content'],
      ['/large.png', 'failed to get HTTP URL content'],
      ['/none.png', 'failed to get HTTP URL content'],
    ] as const)
      expect(await send(path)).toMatchObject(REFUSED(400, `Bad Request: ${description}`))
    server.close()
    expect((await sandbox.live()).length).toBe(1)
  })
})

describe('an album on Telegram', () => {
  const photo = (name: string, more = {}) => ({ type: 'photo', media: `attach://${name}`, ...more })

  test('is one post of several messages, with the text of the first', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const media = [photo('a', { caption: 'Look' }), { type: 'video', media: 'attach://b' }]
    const form = telegramForm({ chat_id: bot.account, media }, { a: png(), b: mp4() })
    const { result } = (await bot.ask('sendMediaGroup', form)).body
    expect(result).toMatchObject([
      { message_id: 1, caption: 'Look', photo: [{ width: 4 }] },
      { message_id: 2, video: { width: 640 } },
    ])
    expect(result[0].media_group_id).toBe(result[1].media_group_id)
    await bot.post('Next')
    expect(await sandbox.live()).toMatchObject([
      { id: '1', text: 'Look', media: [{ sha256: sha256(png()) }, { sha256: sha256(mp4()) }] },
      { id: '3', text: 'Next', media: [] },
    ])
  })

  test.each<[string, object[], string]>([
    ['of one', [photo('a')], 'the number of media must be between 2 and 10'],
    [
      'of eleven',
      Array.from({ length: 11 }, () => photo('a')),
      'the number of media must be between 2 and 10',
    ],
    [
      'of pictures and documents',
      [photo('a'), { type: 'document', media: 'attach://a' }],
      "document can't be mixed with other media types",
    ],
    [
      'with an animation',
      [photo('a'), { type: 'animation', media: 'attach://a' }],
      'type "animation" can\'t be used in an album',
    ],
    [
      'of files that are not there',
      [photo('a'), photo('x')],
      'wrong file identifier/HTTP URL specified',
    ],
    ['of nothing', [{}, {}], "can't parse media JSON object"],
  ])('%s is refused', async (_, media, description) => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const form = telegramForm({ chat_id: bot.account, media }, { a: png() })
    expect(await bot.ask('sendMediaGroup', form)).toMatchObject(
      REFUSED(400, `Bad Request: ${description}`),
    )
    expect(await sandbox.live()).toEqual([])
  })
})

describe('a chat on Telegram', () => {
  test('is found by its name and its id, and says what the bot may do', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox, 'harbour')
    const { result: me } = (await bot.ask('getMe')).body
    expect(me).toMatchObject({ is_bot: true, username: expect.stringMatching(/_bot$/) })
    for (const chat_id of ['@Harbour', bot.account]) {
      expect((await bot.ask('getChat', { chat_id })).body.result).toMatchObject({
        id: Number(bot.account),
        type: 'channel',
      })
      expect(
        (await bot.ask('getChatMember', { chat_id, user_id: me.id })).body.result,
      ).toMatchObject({ status: 'administrator', can_post_messages: true })
    }
    expect(await bot.ask('getChatMember', { chat_id: bot.account, user_id: 1 })).toMatchObject(
      REFUSED(400, 'Bad Request: user not found'),
    )
  })

  test('without a name is hidden from other bots, and one with a name tells them no members', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const hidden = await telegramBot(sandbox, 'private1')
    const open = await telegramBot(sandbox, 'harbour')
    const { result: me } = (await bot.ask('getMe')).body
    expect(await bot.ask('getChat', { chat_id: hidden.account })).toMatchObject(
      REFUSED(400, 'Bad Request: chat not found'),
    )
    expect((await bot.ask('getChat', { chat_id: open.account })).status).toBe(200)
    expect(await bot.ask('getChatMember', { chat_id: open.account, user_id: me.id })).toMatchObject(
      REFUSED(400, 'Bad Request: member list is inaccessible'),
    )
  })

  test('that becomes a supergroup is another chat', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox, 'group1')
    const moved = await bot.post('#sandbox-fail:migrate')
    const to = moved.body.parameters.migrate_to_chat_id
    const expected = {
      ...REFUSED(400, 'Bad Request: group chat was upgraded to a supergroup chat'),
    }
    expect(moved).toMatchObject(expected)
    expect(await bot.post('x')).toMatchObject(expected)
    expect((await bot.post('x', { chat_id: to })).body.result.chat).toMatchObject({
      id: to,
      type: 'supergroup',
    })
  })

  test('from which the bot was removed stays closed to it', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox, 'harbour')
    const kicked = REFUSED(403, 'Forbidden: bot was kicked from the channel chat')
    expect(await bot.post('#sandbox-fail:kicked')).toMatchObject(kicked)
    expect(await bot.post('x')).toMatchObject(kicked)
    const { result: me } = (await bot.ask('getMe')).body
    expect(
      (await bot.ask('getChatMember', { chat_id: bot.account, user_id: me.id })).body.result,
    ).toMatchObject({ status: 'kicked' })
    const other = await telegramBot(sandbox, 'harbour')
    expect(other.account).toBe(bot.account)
    expect((await other.post('x')).status).toBe(200)
  })

  test('has no bot any more when its grants are revoked', async () => {
    await using sandbox = await testSandbox()
    const bot = await telegramBot(sandbox)
    const { account } = bot
    await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'TELEGRAM', account } })
    expect(await bot.post('x')).toMatchObject(REFUSED(401, 'Unauthorized'))
  })

  test('outlives a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'herald-telegram-'))
    const env = { SANDBOX_DATA_DIR: folder }
    let bot: Awaited<ReturnType<typeof telegramBot>>
    {
      await using sandbox = await testSandbox(env)
      bot = await telegramBot(sandbox, 'group1')
      await bot.post('x')
      await bot.post('#sandbox-fail:migrate')
    }
    await using sandbox = await testSandbox(env)
    const path = `/telegram/bot${bot.credentials['botToken']}/sendMessage`
    const moved = await sandbox.ask('POST', path, { body: { chat_id: bot.account, text: 'x' } })
    const chat_id = moved.body.parameters.migrate_to_chat_id
    const sent = await sandbox.ask('POST', path, { body: { chat_id, text: 'y' } })
    expect(sent.body.result.message_id).toBe(2)
    await rm(folder, { recursive: true })
  })
})
