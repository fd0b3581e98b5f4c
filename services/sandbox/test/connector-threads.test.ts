import { platformSettings } from '@herald/platforms/settings'
import { threadsConnector as threads } from '@herald/platforms/threads/connector'
import type { LookUpInput, PublishFile, PublishInput } from '@herald/platforms/platform'
import { describe, expect, test } from 'vitest'
import { followPages } from './follow-pages.ts'
import { hostedFiles } from './hosted-files.ts'
import { brokenMp4, jpeg, mp4 } from './media-bytes.ts'
import { aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const DAY = 86_400

async function settingsOf(sandbox: TestSandbox) {
  return platformSettings(await sandbox.settings('THREADS')).of('THREADS')
}

async function arrange(sandbox: TestSandbox, media: PublishFile[] = []) {
  const { account, baseUrl, credentials } = await sandbox.account('THREADS', 'ada')
  const settings = await settingsOf(sandbox)
  const token = credentials['accessToken'] ?? ''
  const input = aPublishInput({ baseUrl, settings, token, account, media })
  return { input, credentials }
}

/** Prepares, while the sandbox's time passes with every step that is kept. */
async function prepare(sandbox: TestSandbox, input: PublishInput, step = {}) {
  const kept: Record<string, unknown>[] = []
  const onStep = async (done: Record<string, unknown>) => {
    kept.push(done)
    await sandbox.advance(2)
  }
  return { prepared: await threads.prepare({ ...input, step, onStep }), kept }
}

async function publish(sandbox: TestSandbox, input: PublishInput) {
  const { prepared } = await prepare(sandbox, input)
  if (prepared.outcome !== 'ready') return prepared
  return await threads.commit({ ...input, step: prepared.step })
}

async function ready(sandbox: TestSandbox, input: PublishInput) {
  const { prepared } = await prepare(sandbox, input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  return prepared.step
}

function lookUpInput(input: PublishInput, step: Record<string, unknown>): LookUpInput {
  return { ...input, step, calledAt: new Date().toISOString() }
}

describe('what is posted to Threads arrives', () => {
  test('a text with its options', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const outcome = await publish(sandbox, {
      ...input,
      text: 'Grüße 🎉',
      options: {
        replyControl: 'mentioned_only',
        topicTag: 'Boats',
        link: 'https://herald.example/a',
      },
    })
    const [live, ...others] = await sandbox.live()
    expect(others).toEqual([])
    expect(live).toMatchObject({ text: 'Grüße 🎉', media: [] })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: live.id,
      url: live.url,
      publishedAt: live.at,
    })
    const fields = 'reply_audience,topic_tag,link_attachment_url'
    const { body } = await sandbox.ask('GET', `/threads/v1.0/${live.id}?fields=${fields}`, {
      token: input.token,
    })
    expect(body).toMatchObject({
      reply_audience: 'MENTIONED_ONLY',
      topic_tag: 'Boats',
      link_attachment_url: 'https://herald.example/a',
    })
    expect((await fetch(live.url)).status).toBe(200)
  })

  test('one picture, fetched once, with its alt text', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const bytes = jpeg(400, 300, 500)
    const { input } = await arrange(sandbox, [
      files.file('med_1', 'image', bytes, { altText: 'A boat' }),
    ])
    expect(await publish(sandbox, { ...input, text: '' })).toMatchObject({ outcome: 'published' })
    expect(files.fetched).toEqual(['med_1'])
    expect(await sandbox.live()).toMatchObject([
      { text: '', media: [{ sha256: sha256(bytes), altText: 'A boat', width: 400, height: 300 }] },
    ])
  })

  test('a video, which is waited for', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const bytes = mp4({ length: 100_000 })
    const { input } = await arrange(sandbox, [files.file('med_1', 'video', bytes)])
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([
      { text: 'Look', media: [{ sha256: sha256(bytes) }] },
    ])
  })

  test('pictures and videos together, in their order', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const all = [jpeg(400, 300, 100), mp4(), jpeg(500, 300, 101), mp4({ length: 900 })]
    const media = all.map((bytes, index) =>
      files.file(`med_${index}`, index % 2 === 0 ? 'image' : 'video', bytes),
    )
    const { input } = await arrange(sandbox, media)
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([
      { text: 'Look', media: all.map((bytes) => ({ sha256: sha256(bytes) })) },
    ])
    expect(files.fetched).toEqual(['med_0', 'med_1', 'med_2', 'med_3'])
  })
})

describe('a post that Threads refuses', () => {
  test.each([
    ['for its length', { text: 'x'.repeat(501) }, { errorCode: 'text_too_long' }],
    ['for its emojis', { text: '🎉'.repeat(126) }, { errorCode: 'text_too_long' }],
    [
      'for its links',
      { text: [1, 2, 3, 4, 5, 6].map((n) => `https://a.example/${n}`).join(' ') },
      { errorCode: 'too_many_links' },
    ],
    ['for having nothing', { text: '' }, { errorCode: 'platform_rejected' }],
    ['for options that nobody knows', { options: { poll: 1 } }, { errorCode: 'invalid_options' }],
  ])('%s has failed for good', async (_, overrides, expected) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    expect(await publish(sandbox, { ...input, ...overrides })).toMatchObject({
      outcome: 'permanent',
      ...expected,
    })
    expect(await sandbox.live()).toEqual([])
  })

  test('for the shape of a picture has failed for good', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'image', jpeg(4100, 400))])
    expect(await publish(sandbox, input)).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_unfit',
    })
  })

  test.each<[string, string, Buffer, object]>([
    [
      'a video that is none',
      'Look',
      brokenMp4(),
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      'a bit rate that is too high',
      'Look #sandbox-fail:INVALID_BIT_RATE',
      mp4(),
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    ['a reason that nobody knows', 'Look #sandbox-fail:UNKNOWN', mp4(), { outcome: 'transient' }],
  ])('while it is processed, for %s', async (_, text, bytes, expected) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'video', bytes)])
    const { prepared, kept } = await prepare(sandbox, { ...input, text })
    expect(prepared).toMatchObject(expected)
    // What failed is made anew by the next call.
    expect(kept.at(-1)).toEqual({ items: {} })
    expect(await sandbox.live()).toEqual([])
  })

  test.each(['image', 'video'] as const)(
    'because a file could not be fetched, a %s, is tried again',
    async (type) => {
      await using sandbox = await testSandbox()
      await using files = await hostedFiles()
      const bytes = type === 'image' ? jpeg(400, 300) : mp4()
      const { input } = await arrange(sandbox, [files.file('med_1', type, bytes)])
      files.remove('med_1')
      const { prepared, kept } = await prepare(sandbox, input)
      expect(prepared).toMatchObject({ outcome: 'transient' })
      files.file('med_1', type, bytes)
      const again = await prepare(sandbox, input, kept.at(-1))
      expect(again.prepared).toMatchObject({ outcome: 'ready' })
    },
  )
})

describe('a call that makes a post live', () => {
  test.each([
    ['drop_before', { outcome: 'unknown' }, 0],
    ['error_before', { outcome: 'unknown' }, 0],
    ['drop_after', { outcome: 'unknown' }, 1],
    ['error_after', { outcome: 'unknown' }, 1],
    ['malformed', { outcome: 'unknown' }, 1],
    ['slow', { outcome: 'published' }, 1],
    ['rate_limit', { outcome: 'rate_limited' }, 0],
    ['auth_expired', { outcome: 'reauth' }, 0],
  ])('and meets %s', async (kind, expected, live) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const step = await ready(sandbox, input)
    await sandbox.fault({ platform: 'THREADS', kind, times: 1 })
    expect(await threads.commit({ ...input, step })).toMatchObject(expected)
    const posts = await sandbox.live()
    expect(posts.length).toBe(live)
    if (expected.outcome !== 'unknown') return
    const found = live === 0 ? { absent: true } : { found: { platformPostId: posts[0].id } }
    expect(await threads.lookUp(lookUpInput(input, step))).toMatchObject(found)
  })

  test('and hangs is given up at its deadline, and found', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const step = await ready(sandbox, input)
    await sandbox.fault({ platform: 'THREADS', kind: 'hang_after', times: 1 })
    const signal = AbortSignal.timeout(500)
    expect(await threads.commit({ ...input, step, signal })).toMatchObject({ outcome: 'unknown' })
    const [live] = await sandbox.live()
    expect(await threads.lookUp(lookUpInput(input, step))).toEqual({
      found: { platformPostId: live.id, url: live.url, publishedAt: live.at },
    })
  })

  test('is found among others by its text, and without a text', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox)
    await publish(sandbox, { ...input, text: 'Another' })
    await sandbox.advance(60)
    const media = [files.file('med_1', 'image', jpeg(400, 300))]
    for (const mine of [
      { ...input, text: 'Mine  \n twice' },
      { ...input, text: '', media },
    ]) {
      await publish(sandbox, { ...input, text: `Just before ${mine.text}` })
      const step = await ready(sandbox, mine)
      await sandbox.fault({ platform: 'THREADS', kind: 'drop_after', times: 1 })
      await threads.commit({ ...mine, step })
      const live = (await sandbox.live()).at(-1)
      expect(await threads.lookUp(lookUpInput(mine, step))).toMatchObject({
        found: { platformPostId: live.id, url: live.url },
      })
      await sandbox.advance(60)
    }
  })

  test('for a container that is over is prepared again, and for one that is spent it is looked up', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const old = await ready(sandbox, input)
    await sandbox.advance(DAY)
    expect(await threads.commit({ ...input, step: old })).toMatchObject({ outcome: 'unprepared' })
    const step = await ready(sandbox, input)
    expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
    expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'unknown' })
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('for a container that is not processed yet has certainly not happened', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'video', mp4())])
    const stop = new AbortController()
    let step = {}
    await threads.prepare({
      ...input,
      signal: stop.signal,
      onStep: async (done) => {
        step = done
        stop.abort()
      },
    })
    expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'transient' })
    expect(await sandbox.live()).toEqual([])
  })

  test('the 251st in a day is put off, before anything is made for it and after', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const step = await ready(sandbox, input)
    for (let count = 0; count < 250; count += 1) {
      const made = await sandbox.ask('POST', '/threads/v1.0/me/threads', {
        token: input.token,
        body: { media_type: 'TEXT', text: `${count}` },
      })
      await sandbox.ask('POST', '/threads/v1.0/me/threads_publish', {
        token: input.token,
        body: { creation_id: made.body.id },
      })
    }
    const late = { outcome: 'rate_limited', retryAt: expect.any(Number) }
    const uploads = (await sandbox.uploads()).length
    expect(await threads.prepare(input)).toMatchObject(late)
    expect((await sandbox.uploads()).length).toBe(uploads)
    expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'rate_limited' })
    await sandbox.advance(DAY)
    expect(await threads.prepare(input)).toMatchObject({ outcome: 'ready' })
  })
})

test('a worker that dies after any step leaves what the next one goes on with, and no file is fetched twice', async () => {
  await using sandbox = await testSandbox()
  await using files = await hostedFiles()
  const media = [files.file('med_1', 'image', jpeg(400, 300)), files.file('med_2', 'video', mp4())]
  const { input } = await arrange(sandbox, media)
  let step: Record<string, unknown> = {}
  for (let deaths = 0; ; deaths += 1) {
    const onStep = async (done: Record<string, unknown>) => {
      step = done
      await sandbox.advance(2)
      throw new Error('died')
    }
    const prepared = await threads.prepare({ ...input, step, onStep }).catch(() => undefined)
    if (prepared?.outcome === 'ready') break
    expect(deaths).toBeLessThan(10)
  }
  expect(files.fetched).toEqual(['med_1', 'med_2'])
  expect((await sandbox.uploads()).length).toBe(3)
  expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
})

test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
  'a container whose making meets %s is made again',
  async (kind) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await sandbox.fault({ platform: 'THREADS', kind, times: 1, on: 'media' })
    expect(await threads.prepare(input)).toMatchObject({ outcome: 'transient' })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect((await sandbox.live()).length).toBe(1)
  },
)

describe('access to Threads', () => {
  const redirectUri = 'https://herald.example/connect/callback/threads'

  test('is granted on its pages, for a token of 60 days', async () => {
    await using sandbox = await testSandbox()
    const { account, baseUrl } = await sandbox.account('THREADS', 'ada')
    const grant = { baseUrl, settings: await settingsOf(sandbox), redirectUri, now: NOW }
    const { url, kept } = await threads.oauth!.begin({ ...grant, state: 's1' })
    const query = await followPages(url, { username: 'ada' })
    expect(query['state']).toBe('s1')
    const [identity, ...others] = await threads.oauth!.finish({ ...grant, kept, query })
    expect(others).toEqual([])
    expect(identity).toMatchObject({ account, username: 'ada', expiresAt: NOW + 60 * DAY * 1000 })
    const token = await threads.freshToken({ ...grant, secrets: identity!.secrets })
    expect(token).toEqual({
      token: identity!.secrets['accessToken'],
      expiresAt: identity!.expiresAt,
    })
    await expect(threads.oauth!.finish({ ...grant, kept, query })).rejects.toMatchObject({
      name: 'ConnectError',
      kind: 'refused',
    })
  })

  test('that is denied is refused', async () => {
    await using sandbox = await testSandbox()
    const { baseUrl } = await sandbox.account('THREADS')
    const grant = { baseUrl, settings: await settingsOf(sandbox), redirectUri, now: NOW }
    const { url, kept } = await threads.oauth!.begin({ ...grant, state: 's1' })
    const query = await followPages(url, { decision: 'deny' })
    await expect(threads.oauth!.finish({ ...grant, kept, query })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('denied'),
    })
  })

  test('is renewed before it ends, and not after', async () => {
    await using sandbox = await testSandbox()
    const { input, credentials } = await arrange(sandbox)
    const { baseUrl, settings } = input
    const at = (days: number) => ({ baseUrl, settings, now: NOW + days * DAY * 1000 })
    const early = await threads.freshToken({ ...at(58), secrets: credentials })
    expect(early.secrets).toBeUndefined()
    await sandbox.advance(58 * DAY)
    const aheadMs = 5 * DAY * 1000
    const renewed = await threads.freshToken({ ...at(58), secrets: credentials, aheadMs })
    expect(renewed.token).not.toBe(early.token)
    expect(renewed).toMatchObject({ expiresAt: NOW + 118 * DAY * 1000 })
    expect(renewed.secrets).toEqual({
      accessToken: renewed.token,
      expiresAt: String(renewed.expiresAt),
    })
    expect(await publish(sandbox, { ...input, token: renewed.token })).toMatchObject({
      outcome: 'published',
    })
    await sandbox.advance(61 * DAY)
    await expect(
      threads.freshToken({ ...at(119), secrets: renewed.secrets! }),
    ).rejects.toMatchObject({ kind: 'refused' })
  })

  test('that was revoked is refused for good, by every call', async () => {
    await using sandbox = await testSandbox()
    const { input, credentials } = await arrange(sandbox)
    const { baseUrl, settings, account, token } = input
    const step = await ready(sandbox, input)
    const fresh = { baseUrl, settings, secrets: credentials, now: NOW, deadToken: token }
    expect(await threads.freshToken(fresh)).toMatchObject({ token })
    await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'THREADS', account } })
    expect(await threads.prepare(input)).toMatchObject({ outcome: 'reauth' })
    expect(await threads.commit({ ...input, step })).toMatchObject({ outcome: 'reauth' })
    await expect(threads.freshToken(fresh)).rejects.toMatchObject({ kind: 'refused' })
    await expect(threads.identify({ baseUrl, settings, credentials })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  test('that cannot be checked right now is not refused', async () => {
    await using sandbox = await testSandbox()
    const { input, credentials } = await arrange(sandbox)
    const { baseUrl, settings, token } = input
    await sandbox.fault({ platform: 'THREADS', kind: 'error_before', times: 1, on: 'any' })
    await expect(
      threads.freshToken({ baseUrl, settings, secrets: credentials, now: NOW, deadToken: token }),
    ).rejects.toMatchObject({ kind: 'unavailable' })
    await sandbox.fault({ platform: 'THREADS', kind: 'error_before', times: 1, on: 'auth' })
    const aheadMs = 61 * DAY * 1000
    const kept = await threads.freshToken({
      baseUrl,
      settings,
      secrets: credentials,
      now: NOW,
      aheadMs,
    })
    expect(kept).toMatchObject({ token })
  })
})
