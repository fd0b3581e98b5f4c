import { facebookConnector as facebook } from '@herald/platforms/facebook/connector'
import type { LookUpInput, PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { describe, expect, test, vi } from 'vitest'
import { followPages } from './follow-pages.ts'
import { hostedFiles } from './hosted-files.ts'
import { brokenMp4, jpeg, mp4 } from './media-bytes.ts'
import { aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const UPRIGHT = mp4({ width: 1080, height: 1920 })

async function arrange(sandbox: TestSandbox, media: PublishFile[] = []) {
  const { account, baseUrl, credentials } = await sandbox.account('FACEBOOK', 'ada')
  const settings = platformSettings(await sandbox.settings('FACEBOOK')).of('FACEBOOK')
  const token = credentials['accessToken'] ?? ''
  return { input: aPublishInput({ baseUrl, settings, token, account, media }), credentials }
}

async function ready(input: PublishInput, step = {}) {
  const prepared = await facebook.prepare({ ...input, step })
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  return prepared.step
}

/** Publishes; when the call has arrived, time passes in the sandbox so that a video is processed. */
async function publish(sandbox: TestSandbox, input: PublishInput) {
  const prepared = await facebook.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  const before = (await sandbox.requests()).length
  const committing = facebook.commit({ ...input, step: prepared.step })
  await vi.waitFor(async () => expect((await sandbox.requests()).length).toBeGreaterThan(before))
  await sandbox.advance(2)
  return await committing
}

function lookUpInput(input: PublishInput, step: Record<string, unknown>): LookUpInput {
  return { ...input, step, calledAt: new Date().toISOString() }
}

describe('what is posted to a Page arrives', () => {
  test.each([
    ['a text', {}],
    ['a text with a link', { link: 'https://herald.example/a' }],
  ])('%s', async (_, options) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const outcome = await publish(sandbox, { ...input, text: 'Grüße 🎉', options })
    const [live, ...others] = await sandbox.live()
    expect(others).toEqual([])
    expect(live).toMatchObject({ text: 'Grüße 🎉', media: [] })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: live.id,
      url: live.url,
      publishedAt: live.at,
    })
    expect((await fetch(live.url)).status).toBe(200)
  })

  test.each([1, 3])('%i pictures, each fetched once', async (count) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const all = Array.from({ length: count }, (_, index) => jpeg(400, 300, 100 + index))
    const media = all.map((bytes, index) =>
      files.file(`med_${index}`, 'image', bytes, { altText: `Boat ${index}` }),
    )
    const { input } = await arrange(sandbox, media)
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect(files.fetched).toEqual(media.map(({ id }) => id))
    expect(await sandbox.live()).toMatchObject([
      {
        text: 'Look',
        media: all.map((bytes, index) => ({ sha256: sha256(bytes), altText: `Boat ${index}` })),
      },
    ])
  })

  test.each([
    ['a video', mp4({ length: 100_000 }), { title: 'Boats' }, '/videos/'],
    ['a reel', UPRIGHT, { reel: true }, '/reel/'],
  ])('%s, when it is processed', async (_, bytes, options, path) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'video', bytes)])
    const outcome = await publish(sandbox, { ...input, options })
    const [live, ...others] = await sandbox.live()
    expect(others).toEqual([])
    expect(live).toMatchObject({ text: 'Look', media: [{ sha256: sha256(bytes) }] })
    expect(outcome).toMatchObject({
      outcome: 'published',
      platformPostId: live.id,
      url: live.url,
    })
    expect(live.url).toContain(path)
    expect(files.fetched).toEqual(['med_1'])
  })
})

describe('a post that Facebook refuses', () => {
  test.each([
    ['for its length', { text: 'x'.repeat(63_207) }, { errorCode: 'text_too_long' }],
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

  test('as a repeat has failed for good, and is live once', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await publish(sandbox, input)
    expect(await publish(sandbox, input)).toMatchObject({
      outcome: 'permanent',
      errorCode: 'duplicate',
    })
    expect((await sandbox.live()).length).toBe(1)
  })

  test('for a picture of more than 4 MB has failed for good', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const file = files.file('med_1', 'image', jpeg(400, 300, 5_000_000))
    const { input } = await arrange(sandbox, [file])
    expect(await publish(sandbox, input)).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_unfit',
    })
  })

  test.each<[string, Buffer, object, string]>([
    ['a video that is none', brokenMp4(), {}, 'Look'],
    ['a video that fails', mp4(), {}, 'Look #sandbox-fail:codec'],
    ['a reel that is none', brokenMp4(), { reel: true }, 'Look'],
    ['a reel that is not upright', mp4(), { reel: true }, 'Look'],
    ['a reel that fails', UPRIGHT, { reel: true }, 'Look #sandbox-fail:codec'],
  ])('while it is processed: %s', async (_, bytes, options, text) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'video', bytes)])
    expect(await publish(sandbox, { ...input, text, options: { ...options } })).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_unfit',
    })
    expect(await sandbox.live()).toEqual([])
  })

  test.each([
    ['a picture', 'image', {}],
    ['a video', 'video', {}],
    ['a reel', 'video', { reel: true }],
  ] as const)('because %s could not be fetched is tried again', async (_, type, options) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const bytes = type === 'image' ? jpeg(400, 300) : UPRIGHT
    const arranged = await arrange(sandbox, [files.file('med_1', type, bytes)])
    const input = { ...arranged.input, options: { ...options } }
    files.remove('med_1')
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'transient' })
    files.file('med_1', type, bytes)
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect((await sandbox.live()).length).toBe(1)
  })
})

describe('a call that makes a post live', () => {
  const kinds = ['a text', 'a picture', 'a video', 'a reel'] as const

  async function arrangeKind(
    sandbox: TestSandbox,
    files: Awaited<ReturnType<typeof hostedFiles>>,
    kind: (typeof kinds)[number],
  ): Promise<PublishInput> {
    const media =
      kind === 'a text'
        ? []
        : kind === 'a picture'
          ? [files.file('med_1', 'image', jpeg(400, 300))]
          : [files.file('med_1', 'video', UPRIGHT)]
    const { input } = await arrange(sandbox, media)
    return { ...input, options: kind === 'a reel' ? { reel: true } : {} }
  }

  const faults: [string, string, number][] = [
    ['drop_before', 'unknown', 0],
    ['error_before', 'unknown', 0],
    ['drop_after', 'unknown', 1],
    ['error_after', 'unknown', 1],
    ['malformed', 'unknown', 1],
    ['rate_limit', 'rate_limited', 0],
    ['auth_expired', 'reauth', 0],
  ]

  test.each(kinds.flatMap((kind) => faults.map((fault) => [kind, ...fault] as const)))(
    'for %s and meets %s',
    async (what, kind, outcome, count) => {
      await using sandbox = await testSandbox()
      await using files = await hostedFiles()
      const input = await arrangeKind(sandbox, files, what)
      const step = await ready(input)
      await sandbox.fault({ platform: 'FACEBOOK', kind, times: 1 })
      expect(await facebook.commit({ ...input, step })).toMatchObject({ outcome })
      await sandbox.advance(2)
      const live = await sandbox.live()
      expect(live.length).toBe(count)
      if (outcome !== 'unknown') return
      expect(await facebook.lookUp(lookUpInput(input, step))).toMatchObject(
        count === 0 ? { absent: true } : { found: { platformPostId: live[0].id } },
      )
    },
  )

  test.each(['a text', 'a reel'] as const)('for %s and meets slow', async (kind) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const input = await arrangeKind(sandbox, files, kind)
    await sandbox.fault({ platform: 'FACEBOOK', kind: 'slow', times: 1 })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
  })

  test.each(['a video', 'a reel'] as const)(
    'for %s that takes long to process is settled later',
    async (kind) => {
      await using sandbox = await testSandbox()
      await using files = await hostedFiles()
      const input = await arrangeKind(sandbox, files, kind)
      const step = await ready(input)
      const signal = AbortSignal.timeout(1000)
      expect(await facebook.commit({ ...input, step, signal })).toMatchObject({
        outcome: 'unknown',
        message: 'Facebook is still working on the video.',
      })
      expect(await facebook.lookUp(lookUpInput(input, step))).toHaveProperty('pending')
      await sandbox.advance(2)
      const [live] = await sandbox.live()
      expect(await facebook.lookUp(lookUpInput(input, step))).toMatchObject({
        found: { platformPostId: live.id, url: live.url },
      })
    },
  )

  test.each(['a video', 'a reel'] as const)(
    'for %s that turns out to be unusable is refused in the end',
    async (kind) => {
      await using sandbox = await testSandbox()
      await using files = await hostedFiles()
      const arranged = await arrangeKind(sandbox, files, kind)
      const input = { ...arranged, text: 'Look #sandbox-fail:codec' }
      const step = await ready(input)
      await sandbox.fault({ platform: 'FACEBOOK', kind: 'drop_after', times: 1 })
      await facebook.commit({ ...input, step })
      await sandbox.advance(2)
      expect(await facebook.lookUp(lookUpInput(input, step))).toMatchObject({
        refused: { errorCode: 'media_unfit' },
      })
    },
  )

  test('for pictures without a text is found by its pictures among others', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { input } = await arrange(sandbox, [files.file('med_1', 'image', jpeg(400, 300))])
    const mine = { ...input, text: '' }
    await publish(sandbox, mine)
    const step = await ready(mine)
    await sandbox.fault({ platform: 'FACEBOOK', kind: 'drop_after', times: 1 })
    await facebook.commit({ ...mine, step })
    const live = (await sandbox.live()).at(-1)
    expect(await facebook.lookUp(lookUpInput(mine, step))).toMatchObject({
      found: { platformPostId: live.id },
    })
  })
})

test.each([
  ['pictures', ['image', 'image'], {}, 2],
  ['a reel', ['video'], { reel: true }, 2],
] as const)(
  'a worker that dies after any step of %s leaves what the next one goes on with',
  async (_, types, options, uploads) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const media = types.map((type, index) =>
      files.file(`med_${index}`, type, type === 'image' ? jpeg(400, 300, 90 + index) : UPRIGHT),
    )
    const arranged = await arrange(sandbox, media)
    const input = { ...arranged.input, options: { ...options } }
    let step: Record<string, unknown> = {}
    for (let deaths = 0; ; deaths += 1) {
      const onStep = async (done: Record<string, unknown>) => {
        step = done
        throw new Error('died')
      }
      const prepared = await facebook.prepare({ ...input, step, onStep }).catch(() => undefined)
      if (prepared?.outcome === 'ready') break
      expect(deaths).toBeLessThan(5)
    }
    expect(files.fetched).toEqual(media.map(({ id }) => id))
    expect((await sandbox.uploads()).length).toBe(uploads)
    expect(await sandbox.live()).toEqual([])
  },
)

describe('access to Facebook', () => {
  const redirectUri = 'https://herald.example/connect/callback/facebook'

  test('is granted on its pages, for all Pages at once', async () => {
    await using sandbox = await testSandbox()
    const ada = await sandbox.account('FACEBOOK', 'ada')
    const eve = await sandbox.account('FACEBOOK', 'eve')
    const { input } = await arrange(sandbox)
    const grant = { baseUrl: '', settings: input.settings, redirectUri, now: NOW }
    const { url, kept } = await facebook.oauth!.begin({ ...grant, state: 's1' })
    const query = await followPages(url, {})
    const identities = await facebook.oauth!.finish({ ...grant, kept, query })
    expect(identities).toMatchObject([
      { account: ada.account, username: 'ada', expiresAt: null },
      { account: eve.account, username: 'eve', expiresAt: null },
    ])
    const tokens = identities.map(({ secrets }) => secrets['accessToken'] ?? '')
    expect(new Set(tokens).size).toBe(2)
    await sandbox.advance(400 * 86_400)
    const late = { ...input, account: eve.account, token: tokens[1] ?? '' }
    expect(await publish(sandbox, late)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live(`?account=${eve.account}`)).toMatchObject([{ text: 'Look' }])
    await expect(facebook.oauth!.finish({ ...grant, kept, query })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  test('that is denied is refused', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const grant = { baseUrl: '', settings: input.settings, redirectUri, now: NOW }
    const { url, kept } = await facebook.oauth!.begin({ ...grant, state: 's1' })
    const query = await followPages(url, { decision: 'deny' })
    await expect(facebook.oauth!.finish({ ...grant, kept, query })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  test('to a Page is checked, and dead when it was revoked', async () => {
    await using sandbox = await testSandbox()
    const { input, credentials } = await arrange(sandbox)
    const { baseUrl, settings, account, token } = input
    expect(await facebook.identify({ baseUrl, settings, credentials })).toMatchObject({
      account,
      username: 'ada',
      secrets: { accessToken: token },
    })
    const fresh = { baseUrl, settings, secrets: credentials, now: NOW, deadToken: token }
    expect(await facebook.freshToken(fresh)).toEqual({ token, expiresAt: null })
    await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'FACEBOOK', account } })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'reauth' })
    await expect(facebook.freshToken(fresh)).rejects.toMatchObject({ kind: 'refused' })
    await expect(facebook.identify({ baseUrl, settings, credentials })).rejects.toMatchObject({
      kind: 'refused',
    })
  })
})
