import { discordConnector as discord } from '@herald/platforms/discord/connector'
import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { cuttingProxy } from './cutting-proxy.ts'
import { discordBot } from './discord.ts'
import { gif, mp4, png } from './media-bytes.ts'
import { aConvertedFile, aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function arrange(sandbox: TestSandbox, media: PublishFile[] = [], route = 'bot') {
  const bot = await discordBot(sandbox, 'harbour')
  const settings = platformSettings(await sandbox.settings('DISCORD')).of('DISCORD')
  const place = { baseUrl: settings['apiUrl'] ?? '', settings }
  const credentials = route === 'bot' ? bot.credentials : { webhookUrl: (await bot.webhook()).url }
  const identity = await discord.identify({ ...place, credentials })
  const { account, secrets, limits = {} } = identity
  const { token } = await discord.freshToken({ ...place, secrets, now: 0 })
  const input = aPublishInput({ ...place, token, account, limits, media })
  return { bot, identity, place, input }
}

/** What Herald does of a post that goes well. */
async function publish(input: PublishInput) {
  const prepared = await discord.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  return await discord.commit({ ...input, step: prepared.step })
}

const lookUp = (input: PublishInput) =>
  discord.lookUp({ ...input, step: {}, calledAt: new Date().toISOString() })

test.each(['bot', 'webhook'])(
  'a text is posted by a %s, and lives where it says',
  async (route) => {
    await using sandbox = await testSandbox()
    const { input, identity } = await arrange(sandbox, [], route)
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

test.each<[string, PublishFile[]]>([
  ['a picture', [aFile('med_1', 'image', png(8, 6), { altText: 'Bild „1“\r\n🎉' })]],
  [
    'ten pictures',
    Array.from({ length: 10 }, (_, index) =>
      aFile(`med_${index}`, 'image', png(10 + index, 6, 100 + index)),
    ),
  ],
  ['a video', [aFile('med_1', 'video', mp4({ length: 3_000_000 }))]],
  ['an animated GIF', [aFile('med_1', 'gif', gif())]],
  [
    'a document',
    [aFile('med_1', 'document', Buffer.from('%PDF-1.7'), { mimeType: 'application/pdf' })],
  ],
  [
    'a picture, a video and a document',
    [
      aFile('med_1', 'image', png()),
      aFile('med_2', 'video', mp4()),
      aFile('med_3', 'document', Buffer.from('%PDF-1.7'), { mimeType: 'application/pdf' }),
    ],
  ],
])('%s arrives with every byte, and needs no text', async (_, media) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, media)
  expect(await publish({ ...input, text: '' })).toMatchObject({ outcome: 'published' })
  const hashes = media.map(async (file) =>
    sha256(Buffer.concat(await (await file.open()).toArray())),
  )
  const [live] = await sandbox.live()
  expect(live.text).toBe('')
  expect(live.media.map((one: { sha256: string }) => one.sha256)).toEqual(await Promise.all(hashes))
  expect(live.media[0].altText).toBe(media[0]?.altText ?? null)
})

test('pictures share what the other files leave of a request', async () => {
  await using sandbox = await testSandbox()
  const made = { bytes: png(40, 30, 200), mimeType: 'image/png', width: 40, height: 30 }
  const { file, asked } = aConvertedFile('med_1', made)
  const video = (id: string) => aFile(id, 'video', mp4({ length: 9 * 1024 * 1024 }))
  const { input } = await arrange(sandbox, [file, video('med_2'), video('med_3')])
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
  expect(asked).toEqual([
    {
      mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
      maxBytes: 7 * 1024 * 1024 - 64 * 1024,
    },
  ])
})

test.each<[string, Partial<PublishInput>, object]>([
  ['a long text', { text: 'x'.repeat(2001) }, { outcome: 'permanent', errorCode: 'text_too_long' }],
  ['no text', { text: '' }, { outcome: 'permanent', errorCode: 'text_empty' }],
  [
    'a video above 10 MiB',
    { media: [aFile('med_1', 'video', mp4({ length: 10 * 1024 * 1024 + 1 }))] },
    { outcome: 'permanent', errorCode: 'media_unfit' },
  ],
  [
    'a long alt text',
    { media: [aFile('med_1', 'image', png(), { altText: 'x'.repeat(1025) })] },
    { outcome: 'permanent', errorCode: 'alt_text_too_long' },
  ],
  [
    'a word that the server blocks',
    { text: '#sandbox-fail:automod' },
    { outcome: 'permanent', errorCode: 'content_blocked' },
  ],
  [
    'no permission',
    { text: '#sandbox-fail:permissions' },
    { outcome: 'permanent', errorCode: 'missing_permission' },
  ],
  ['slow mode', { text: '#sandbox-fail:slowmode' }, { outcome: 'rate_limited' }],
])('a post with %s is refused, and nothing is live', async (_, more, expected) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  expect(await publish({ ...input, ...more })).toMatchObject(expected)
  expect(await sandbox.live()).toEqual([])
})

test('options are what Discord gets', async () => {
  await using sandbox = await testSandbox()
  const { bot, input } = await arrange(sandbox)
  await publish({ ...input, options: { suppressEmbeds: true, silent: true } })
  const { body } = await bot.ask('GET', `/channels/${bot.account}/messages`)
  expect(body).toMatchObject([{ flags: 4 | 4096 }])
})

test('the sixth message within five seconds is told when to come again', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  for (const index of [1, 2, 3, 4, 5])
    expect(
      await publish({ ...input, text: `${index}`, idempotencyKey: `key-${index}` }),
    ).toMatchObject({ outcome: 'published' })
  const before = Date.now()
  const outcome = await publish({ ...input, idempotencyKey: 'key-6' })
  if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
  expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 5000)
  await sandbox.advance(5)
  expect(await publish({ ...input, idempotencyKey: 'key-6' })).toMatchObject({
    outcome: 'published',
  })
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
  'a call that meets %s is settled by looking, and a repeat posts it once',
  async (kind, expected, live) => {
    await using sandbox = await testSandbox()
    const { input, place, identity } = await arrange(sandbox)
    await sandbox.fault({ platform: 'DISCORD', kind, times: 1 })
    expect(await publish(input)).toMatchObject(expected)
    const found = await lookUp(input)
    expect((await sandbox.live()).length).toBe(live)
    if (live === 0) expect(found).toEqual({ absent: true })
    else expect(found).toMatchObject({ found: { platformPostId: (await sandbox.live())[0].id } })
    const { secrets } = identity
    const fresh = await discord.freshToken({ ...place, secrets, now: 0, deadToken: input.token })
    expect(fresh.token).toBe(input.token)
    expect(await publish(input)).toMatchObject({ outcome: 'published' })
    expect((await sandbox.live()).length).toBe(1)
  },
)

test('a call that is never answered ends with its time, and the post is found', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  await sandbox.fault({ platform: 'DISCORD', kind: 'hang_after', times: 1 })
  const stop = new AbortController()
  const pending = publish({ ...input, signal: stop.signal })
  await expect.poll(async () => (await sandbox.live()).length).toBe(1)
  stop.abort()
  expect(await pending).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp(input)).toHaveProperty('found')
})

test('pictures whose call was cut off after it was sent are found by their names', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  await sandbox.fault({ platform: 'DISCORD', kind: 'drop_after', times: 1 })
  expect(await publish({ ...input, text: '' })).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp({ ...input, text: '' })).toHaveProperty('found')
  expect(await lookUp({ ...input, text: '', idempotencyKey: 'another' })).toEqual({ absent: true })
})

test('a call that is cut off while its file is sent leaves nothing live, and can be made again', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'video', mp4({ length: 9_000_000 }))])
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

test('a bot that was removed from its server must be added again', async () => {
  await using sandbox = await testSandbox()
  const { input, place, identity } = await arrange(sandbox)
  const { account, secrets } = identity
  await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'DISCORD', account } })
  expect(await publish(input)).toMatchObject({ outcome: 'reauth' })
  await expect(
    discord.freshToken({ ...place, secrets, now: 0, deadToken: input.token }),
  ).rejects.toMatchObject({ kind: 'refused' })
})

test('a webhook that was deleted must be connected again, and no call of it is ever settled', async () => {
  await using sandbox = await testSandbox()
  const { input, place, identity } = await arrange(sandbox, [], 'webhook')
  await sandbox.fault({ platform: 'DISCORD', kind: 'drop_after', times: 1 })
  expect(await publish(input)).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp(input)).toHaveProperty('cannotTell')
  const { account, secrets } = identity
  await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'DISCORD', account } })
  expect(await publish(input)).toMatchObject({ outcome: 'reauth' })
  await expect(
    discord.freshToken({ ...place, secrets, now: 0, deadToken: input.token }),
  ).rejects.toMatchObject({ kind: 'refused' })
  expect((await sandbox.live()).length).toBe(1)
})

test('access that is granted on the page gives the channels of the server, and posts to one', async () => {
  await using sandbox = await testSandbox()
  const { bot, place } = await arrange(sandbox)
  const { guild_id: guild } = (await bot.ask('GET', `/channels/${bot.account}`)).body
  const grant = { ...place, redirectUri: 'https://herald.example/callback', now: 0 }
  const begun = await discord.oauth!.begin({ ...grant, state: 'state-1' })
  const page = await sandbox.ask('GET', begun.url.replace(sandbox.url, ''))
  expect(page.body).toContain('bot, identify')
  const asked = Object.fromEntries(new URL(begun.url).searchParams)
  const pressed = await sandbox.ask('POST', '/discord/oauth2/authorize', {
    body: { ...asked, sandbox_account: guild, sandbox_decision: 'approve' },
  })
  const back = new URL(pressed.headers.get('location') ?? '')
  const query = Object.fromEntries(back.searchParams)
  expect(query['state']).toBe('state-1')
  const channels = await discord.oauth!.finish({ ...grant, kept: begun.kept, query })
  expect(channels.map(({ name }) => name)).toEqual(['#general (harbour)', '#news (harbour)'])
  await expect(discord.oauth!.finish({ ...grant, kept: begun.kept, query })).rejects.toMatchObject({
    kind: 'refused',
  })
  const news = channels[1]!
  const { token } = await discord.freshToken({ ...place, secrets: news.secrets, now: 0 })
  const { account, limits = {} } = news
  expect(await publish(aPublishInput({ ...place, token, account, limits }))).toMatchObject({
    outcome: 'published',
  })
  expect(await sandbox.live()).toMatchObject([{ account, text: 'Look' }])
})
