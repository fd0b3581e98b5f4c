import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { telegramConnector as telegram } from '@herald/platforms/telegram/connector'
import { expect, test } from 'vitest'
import { cuttingProxy } from './cutting-proxy.ts'
import { gif, mp4, png } from './media-bytes.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'
import { telegramBot } from './telegram.ts'

async function arrange(sandbox: TestSandbox, media: PublishFile[] = [], username = 'harbour') {
  const bot = await telegramBot(sandbox, username)
  const settings = platformSettings(await sandbox.settings('TELEGRAM')).of('TELEGRAM')
  const place = { baseUrl: settings['apiUrl'] ?? '', settings }
  const identity = await telegram.identify({ ...place, credentials: bot.credentials })
  const { account, secrets } = identity
  const { token } = await telegram.freshToken({ ...place, secrets, now: 0 })
  const input = aPublishInput({ ...place, token, account, media })
  return { bot, identity, place, input }
}

/** What Herald does of a post that goes well. */
async function publish(input: PublishInput) {
  const prepared = await telegram.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  return await telegram.commit({ ...input, step: prepared.step })
}

test.each(['harbour', 'private1', 'group1'])(
  'a text is posted to %s, and lives where it says',
  async (username) => {
    await using sandbox = await testSandbox()
    const { input, identity } = await arrange(sandbox, [], username)
    const outcome = await publish(input)
    const [live, ...others] = await sandbox.live()
    expect(others).toEqual([])
    expect(live).toMatchObject({ account: identity.account, text: 'Look' })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: live.id,
      url: live.url,
      publishedAt: '2026-11-21T12:00:00.000Z',
    })
    expect((await sandbox.ask('GET', new URL(live.url).pathname)).body).toContain('Look')
  },
)

test('a public channel is connected by its name', async () => {
  await using sandbox = await testSandbox()
  const { bot, place, identity } = await arrange(sandbox)
  const credentials = { ...bot.credentials, chat: '@harbour' }
  expect(await telegram.identify({ ...place, credentials })).toEqual(identity)
})

const PDF = { mimeType: 'application/pdf' }
test.each<[string, PublishFile[]]>([
  ['a picture', [aFile('med_1', 'image', png(8, 6))]],
  [
    'ten pictures',
    Array.from({ length: 10 }, (_, index) =>
      aFile(`med_${index}`, 'image', png(10 + index, 6, 100 + index)),
    ),
  ],
  ['a video', [aFile('med_1', 'video', mp4({ length: 3_000_000 }))]],
  ['a video that is no MP4', [aFile('med_1', 'video', mp4(), { mimeType: 'video/quicktime' })]],
  ['an animated GIF', [aFile('med_1', 'gif', gif())]],
  ['a document', [aFile('med_1', 'document', Buffer.from('%PDF-1.7'), PDF)]],
  [
    'two documents',
    ['%PDF-1.7', '%PDF-1.4'].map((text, index) =>
      aFile(`med_${index}`, 'document', Buffer.from(text), PDF),
    ),
  ],
  [
    'a picture and a video',
    [aFile('med_1', 'image', png()), aFile('med_2', 'video', mp4({ width: 320 }))],
  ],
])('%s arrives with every byte, and needs no text', async (_, media) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, media)
  for (const text of ['Look', '']) {
    const outcome = await publish({ ...input, text })
    const live = (await sandbox.live()).at(-1)
    expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
    const hashes = media.map(async (file) =>
      sha256(Buffer.concat(await (await file.open()).toArray())),
    )
    expect(live.text).toBe(text)
    expect(live.media.map((one: { sha256: string }) => one.sha256)).toEqual(
      await Promise.all(hashes),
    )
  }
})

test('a formatted text is shown without what formats it', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const options = {
    parseMode: 'HTML',
    disableNotification: true,
    disableLinkPreview: true,
    protectContent: true,
  }
  await publish({ ...input, text: '<b>Look</b> https://example.com', options })
  expect(await sandbox.live()).toMatchObject([{ text: 'Look https://example.com' }])
})

test.each<[string, Partial<PublishInput>, object]>([
  ['a long text', { text: 'x'.repeat(4097) }, { outcome: 'permanent', errorCode: 'text_too_long' }],
  [
    'a long caption',
    { text: 'x'.repeat(1025), media: [aFile('med_1', 'image', png())] },
    { outcome: 'permanent', errorCode: 'text_too_long' },
  ],
  ['no text', { text: ' ' }, { outcome: 'permanent', errorCode: 'text_empty' }],
  [
    'a format that is wrong',
    { text: '<b>x', options: { parseMode: 'HTML' } },
    { outcome: 'permanent', errorCode: 'invalid_markup' },
  ],
  [
    'a picture that is none',
    {
      media: [
        aFile('med_1', 'image', mp4(), {
          image: async () => ({ bytes: mp4(), mimeType: 'image/png', width: 4, height: 3 }),
        }),
      ],
    },
    { outcome: 'permanent', errorCode: 'media_unfit' },
  ],
  [
    'a GIF beside a picture',
    { media: [aFile('med_1', 'gif', gif()), aFile('med_2', 'image', png())] },
    { outcome: 'permanent' },
  ],
  [
    'no right to post',
    { text: '#sandbox-fail:rights' },
    { outcome: 'permanent', errorCode: 'missing_permission' },
  ],
])('a post with %s is refused, and nothing is live', async (_, more, expected) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  expect(await publish({ ...input, ...more })).toMatchObject(expected)
  expect(await sandbox.live()).toEqual([])
})

test.each<[string, object, number]>([
  ['drop_before', { outcome: 'unknown' }, 0],
  ['error_before', { outcome: 'unknown' }, 0],
  ['drop_after', { outcome: 'unknown' }, 1],
  ['error_after', { outcome: 'unknown' }, 1],
  ['malformed', { outcome: 'unknown' }, 1],
  ['slow', { outcome: 'published' }, 1],
  ['rate_limit', { outcome: 'rate_limited', retryAt: expect.any(Number) }, 0],
  ['auth_expired', { outcome: 'reauth' }, 0],
])(
  'a call that meets %s says what is known, and looking settles nothing',
  async (kind, expected, live) => {
    await using sandbox = await testSandbox()
    const { input, place, identity } = await arrange(sandbox)
    await sandbox.fault({ platform: 'TELEGRAM', kind, times: 1 })
    expect(await publish(input)).toMatchObject(expected)
    expect((await sandbox.live()).length).toBe(live)
    const looked = { ...input, step: {}, calledAt: new Date().toISOString() }
    expect(await telegram.lookUp(looked)).toHaveProperty('cannotTell')
    const { secrets } = identity
    const fresh = await telegram.freshToken({ ...place, secrets, now: 0, deadToken: input.token })
    expect(fresh.token).toBe(input.token)
  },
)

test('a call that is never answered ends with its time, and its outcome is unknown', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  await sandbox.fault({ platform: 'TELEGRAM', kind: 'hang_after', times: 1 })
  const stop = new AbortController()
  const pending = publish({ ...input, signal: stop.signal })
  await expect.poll(async () => (await sandbox.live()).length).toBe(1)
  stop.abort()
  expect(await pending).toMatchObject({ outcome: 'unknown' })
})

test('a call that is cut off while its file is sent leaves nothing live, and can be made again', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'video', mp4({ length: 20_000_000 }))])
  await using proxy = await cuttingProxy(input.settings['apiUrl'] ?? '', 100_000)
  const settings = { ...input.settings, apiUrl: proxy.url }
  // All of a small request is given away at once, and then nobody is sure.
  const outcome = await publish({ ...input, settings })
  expect(['transient', 'unknown']).toContain(outcome.outcome)
  expect(await sandbox.live()).toEqual([])
  proxy.heal()
  expect(await publish({ ...input, settings })).toMatchObject({ outcome: 'published' })
  expect((await sandbox.live()).length).toBe(1)
})

test('the message after twenty in a minute is told when to come again', async () => {
  await using sandbox = await testSandbox()
  const { bot, input } = await arrange(sandbox)
  for (let count = 0; count < 20; count++) await bot.post('x')
  const before = Date.now()
  const outcome = await publish(input)
  if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
  expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 60_000)
  await sandbox.advance(60)
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
})

test.each([
  ['whose token was revoked', 'harbour', undefined],
  ['that was removed from its channel', 'harbour', '#sandbox-fail:kicked'],
  ['whose group became a supergroup', 'group1', '#sandbox-fail:migrate'],
])('a bot %s must be connected again', async (_, username, text) => {
  await using sandbox = await testSandbox()
  const { input, place, identity } = await arrange(sandbox, [], username)
  const { account, secrets } = identity
  if (text === undefined)
    await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'TELEGRAM', account } })
  expect(await publish({ ...input, text: text ?? 'Look' })).toMatchObject({ outcome: 'reauth' })
  await expect(
    telegram.freshToken({ ...place, secrets, now: 0, deadToken: input.token }),
  ).rejects.toMatchObject({ kind: 'refused' })
  expect(await sandbox.live()).toEqual([])
})

test('a supergroup is connected by its own id after its group has moved', async () => {
  await using sandbox = await testSandbox()
  const { bot, place, input } = await arrange(sandbox, [], 'group1')
  const moved = await bot.post('#sandbox-fail:migrate')
  const chat = String(moved.body.parameters.migrate_to_chat_id)
  const { account } = await telegram.identify({
    ...place,
    credentials: { ...bot.credentials, chat },
  })
  expect(account).toBe(chat)
  expect(await publish({ ...input, account })).toMatchObject({ outcome: 'published' })
})
