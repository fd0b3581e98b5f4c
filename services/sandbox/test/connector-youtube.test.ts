import type { LookUpInput, PrepareInput, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { youtubeConnector as youtube } from '@herald/platforms/youtube/connector'
import { expect, test } from 'vitest'
import { REDIRECT_URI, grantAccess, visit } from './grant.ts'
import { mp4, png } from './media-bytes.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'
import { youtubeUser } from './youtube.ts'

const MIB = 1024 * 1024
const VIDEO = mp4({ length: 9 * MIB + 7 })
const OPTIONS = { title: 'A boat', privacyStatus: 'public' }

async function arrange(sandbox: TestSandbox, overrides: Partial<PublishInput> = {}) {
  const user = await youtubeUser(sandbox, 'ada')
  const settings = platformSettings(await sandbox.settings('YOUTUBE')).of('YOUTUBE')
  const input = aPublishInput({
    baseUrl: '',
    settings,
    token: user.token,
    account: user.account,
    options: OPTIONS,
    media: [aFile('med_1', 'video', VIDEO)],
    ...overrides,
  })
  return { user, settings, input }
}

async function prepared(input: PublishInput): Promise<LookUpInput> {
  const result = await youtube.prepare(input)
  if (result.outcome !== 'ready') throw new Error(result.message)
  return { ...input, step: result.step, calledAt: '2026-11-21T12:00:00.000Z' }
}

async function publish(input: PrepareInput) {
  const result = await youtube.prepare(input)
  return result.outcome === 'ready' ? youtube.commit({ ...input, step: result.step }) : result
}

test('a video arrives with its bytes, title, description and options', async () => {
  await using sandbox = await testSandbox()
  const options = {
    ...OPTIONS,
    privacyStatus: 'unlisted',
    tags: ['sea', 'a boat'],
    categoryId: '28',
    madeForKids: true,
    syntheticMedia: true,
  }
  const { user, input } = await arrange(sandbox, { text: 'Grüße 🎉', options })
  const outcome = await publish(input)
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(outcome).toEqual({
    outcome: 'published',
    platformPostId: live.id,
    url: live.url,
    publishedAt: '2026-11-21T12:00:00.000Z',
  })
  expect(live).toMatchObject({
    title: 'A boat',
    text: 'Grüße 🎉',
    media: [{ sha256: sha256(VIDEO) }],
  })
  const { body } = await user.ask('GET', `/youtube/v3/videos?part=snippet,status&id=${live.id}`)
  expect(body.items[0]).toMatchObject({
    snippet: { tags: ['sea', 'a boat'], categoryId: '28' },
    status: { privacyStatus: 'unlisted', madeForKids: true, containsSyntheticMedia: true },
  })
})

test.each([1, 256 * 1024, 256 * 1024 + 1, MIB])(
  'a file of %i bytes is sent to its last byte, once',
  async (length) => {
    await using sandbox = await testSandbox()
    const bytes = Buffer.alloc(length, 'v')
    const { input } = await arrange(sandbox, { media: [aFile('med_1', 'video', bytes)] })
    expect(await publish(input)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(bytes) }] }])
    expect((await sandbox.requests()).length).toBe(1)
  },
)

test.each<[string, Partial<PublishInput>, string]>([
  ['a description that is too long', { text: 'x'.repeat(5001) }, 'text_rejected'],
  [
    'a title that is too long',
    { options: { ...OPTIONS, title: 'x'.repeat(101) } },
    'invalid_options',
  ],
  ['an unknown category', { options: { ...OPTIONS, categoryId: '77' } }, 'invalid_options'],
  ['no title', { options: { privacyStatus: 'public' } }, 'invalid_options'],
  ['a picture', { media: [aFile('med_1', 'image', png())] }, 'media_mix'],
])('%s is refused, and nothing is sent', async (_, overrides, errorCode) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, overrides)
  expect(await publish(input)).toMatchObject({ outcome: 'permanent', errorCode })
  expect(await sandbox.uploads()).toEqual([])
})

test('preparing that is killed after each of its steps goes on and sends no part twice', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const step: { kept: Record<string, unknown> } = { kept: {} }
  let kills = 0
  for (;;) {
    const onStep = async (done: Record<string, unknown>) => {
      step.kept = structuredClone(done)
      throw new Error('killed')
    }
    const result = await youtube
      .prepare({ ...input, step: step.kept, onStep })
      .catch(() => 'killed')
    if (result !== 'killed') break
    kills += 1
  }
  expect(kills).toBe(3)
  expect(
    (await sandbox.uploads()).map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes),
  ).toEqual([8 * MIB, MIB])
  expect(await youtube.commit({ ...input, step: step.kept })).toMatchObject({
    outcome: 'published',
  })
  expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
})

test.each(['drop_before', 'drop_after', 'error_before', 'error_after', 'malformed'])(
  'a part that meets %s leaves nothing live, and the upload goes on from there',
  async (kind) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    let step: Record<string, unknown> = {}
    const onStep = async (done: Record<string, unknown>) => {
      if (Object.keys(step).length === 0)
        await sandbox.fault({ platform: 'YOUTUBE', kind, times: 1, on: 'media' })
      step = structuredClone(done)
    }
    expect(await youtube.prepare({ ...input, onStep })).toMatchObject({ outcome: 'transient' })
    expect(await sandbox.live()).toEqual([])
    expect(await publish({ ...input, step })).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
  },
)

test.each([
  ['drop_before', 'unknown', 0],
  ['error_before', 'unknown', 0],
  ['drop_after', 'unknown', 1],
  ['error_after', 'unknown', 1],
  ['malformed', 'unknown', 1],
  ['slow', 'published', 1],
  ['rate_limit', 'rate_limited', 0],
  ['auth_expired', 'reauth', 0],
])('a commit that meets %s is %s, and the session tells the truth', async (kind, outcome, live) => {
  await using sandbox = await testSandbox()
  const { user, input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'YOUTUBE', kind, times: 1 })
  expect(await youtube.commit(ready)).toMatchObject({ outcome })
  const posts = await sandbox.live()
  expect(posts.length).toBe(live)
  const token = (await youtubeUser(sandbox, 'ada')).token
  expect(await youtube.lookUp({ ...ready, token })).toEqual(
    live === 1
      ? {
          found: {
            platformPostId: posts[0].id,
            url: posts[0].url,
            publishedAt: '2026-11-21T12:00:00.000Z',
          },
        }
      : { absent: true },
  )
  expect((await sandbox.requests(`?account=${user.account}`)).length).toBe(1)
})

test('a commit that is not answered is given up at the deadline, and is found live', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'YOUTUBE', kind: 'hang_after', times: 1 })
  const signal = AbortSignal.timeout(200)
  expect(await youtube.commit({ ...ready, signal })).toMatchObject({ outcome: 'unknown' })
  expect(await youtube.lookUp(ready)).toHaveProperty('found')
})

test('a rate limit says when to come again, and nothing was made live', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'YOUTUBE', kind: 'rate_limit', times: 1 })
  expect(await youtube.commit(ready)).toMatchObject({ retryAt: expect.any(Number) })
  expect(await youtube.commit(ready)).toMatchObject({ outcome: 'published' })
})

test('a quota that is used up is heard of before anything is sent', async () => {
  await using sandbox = await testSandbox()
  const { user, input } = await arrange(sandbox)
  for (let call = 0; call < 100; call += 1) await user.open()
  expect(await youtube.prepare(input)).toMatchObject({ outcome: 'rate_limited', retryAt: null })
  expect(await sandbox.uploads()).toEqual([])
})

test.each([
  ['#sandbox-fail:copyright', 'platform_rejected'],
  ['#sandbox-fail:duplicate', 'duplicate'],
  ['#sandbox-fail:codec', 'media_unfit'],
])(
  'a video that YouTube turns down later (%s) is told by looking it up',
  async (text, errorCode) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, { text })
    const ready = await prepared(input)
    await sandbox.fault({ platform: 'YOUTUBE', kind: 'drop_after', times: 1 })
    expect(await youtube.commit(ready)).toMatchObject({ outcome: 'unknown' })
    expect(await youtube.lookUp(ready)).toHaveProperty('found')
    await sandbox.advance(2)
    expect(await youtube.lookUp(ready)).toMatchObject({ refused: { errorCode } })
  },
)

test('an upload that YouTube has forgotten is made anew, also when it was to be committed', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.advance(7 * 86_400)
  const { token } = await youtubeUser(sandbox, 'ada')
  expect(await youtube.commit({ ...ready, token })).toMatchObject({
    outcome: 'unprepared',
  })
  const halfWay = { ...ready.step, storedBytes: 0 }
  const again = await youtube.prepare({ ...ready, token, step: halfWay })
  expect(again).toMatchObject({
    outcome: 'ready',
    step: { session: expect.not.stringMatching(`^${String(ready.step['session'])}$`) },
  })
  expect(await sandbox.live()).toEqual([])
})

test('access is granted on the pages of Google, renewed after an hour, and ended', async () => {
  await using sandbox = await testSandbox()
  const { user, settings, input } = await arrange(sandbox)
  const [identity, ...others] = await grantAccess(youtube.oauth, settings, user.account)
  expect(others).toEqual([])
  expect(identity).toMatchObject({
    account: user.account,
    username: 'ada',
    name: 'ada',
    limits: {},
  })
  const { secrets } = identity!
  expect(Object.keys(secrets).toSorted()).toEqual(['accessToken', 'expiresAt', 'refreshToken'])
  const old = secrets['accessToken'] ?? ''
  await sandbox.advance(3600)
  expect(await publish({ ...input, token: old })).toMatchObject({ outcome: 'reauth' })
  const asked = { baseUrl: '', settings, secrets, now: Date.now(), deadToken: old }
  const { token, secrets: renewed } = await youtube.freshToken(asked)
  expect(token).not.toBe(old)
  expect(renewed?.['refreshToken']).toBe(secrets['refreshToken'])
  expect(await publish({ ...input, token })).toMatchObject({ outcome: 'published' })
  await youtube.oauth!.revoke!({ baseUrl: '', settings, secrets: renewed! })
  await expect(
    youtube.freshToken({ ...asked, secrets: renewed!, deadToken: token }),
  ).rejects.toMatchObject({ kind: 'refused' })
  await youtube.oauth!.revoke!({ baseUrl: '', settings, secrets: { accessToken: 'unknown' } })
})

test('a person who denies access is told so', async () => {
  await using sandbox = await testSandbox()
  const { user, settings } = await arrange(sandbox)
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: Date.now() }
  const { url, kept } = await youtube.oauth!.begin({ ...grant, state: 's' })
  const query = await visit(url, { account: user.account, decision: 'deny' })
  await expect(youtube.oauth!.finish({ ...grant, kept, query })).rejects.toMatchObject({
    kind: 'refused',
  })
})

test('a grant that its owner ended is told from a token that is over', async () => {
  await using sandbox = await testSandbox()
  const { user, settings, input } = await arrange(sandbox)
  await sandbox.ask('POST', '/_/tokens/revoke', {
    body: { platform: 'YOUTUBE', account: user.account },
  })
  expect(await publish(input)).toMatchObject({ outcome: 'reauth' })
  const asked = {
    baseUrl: '',
    settings,
    secrets: user.credentials,
    now: Date.now(),
    deadToken: user.token,
  }
  await expect(youtube.freshToken(asked)).rejects.toMatchObject({
    name: 'ConnectError',
    kind: 'refused',
  })
})

test('Google gives a refresh token only for access that is asked for offline', async () => {
  await using sandbox = await testSandbox()
  const { user, settings } = await arrange(sandbox)
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: Date.now() }
  const { url, kept } = await youtube.oauth!.begin({ ...grant, state: 's' })
  const query = await visit(url.replace('access_type=offline', 'access_type=online'), {
    account: user.account,
  })
  const [identity] = await youtube.oauth!.finish({ ...grant, kept, query })
  expect(identity!.secrets).not.toHaveProperty('refreshToken')
})

test('an account that is not verified has short videos, and its categories can be chosen', async () => {
  await using sandbox = await testSandbox()
  const { settings } = await arrange(sandbox)
  const { account, token, credentials } = await youtubeUser(sandbox, 'ashort')
  const limits = { maxVideoSeconds: 900 }
  expect(await youtube.identify({ baseUrl: '', settings, credentials })).toMatchObject({ limits })
  const input = { baseUrl: '', settings, token, account, limits: {} }
  expect(await youtube.readLimits!(input)).toEqual({ rules: {}, limits })
  const [categories] = await youtube.choices!({ ...input, query: {} })
  expect(categories).toMatchObject({ field: 'youtube.categoryId' })
  expect(categories!.choices).toContainEqual({ value: '22', label: 'People & Blogs' })
  expect(categories!.choices.map(({ value }) => value)).not.toContain('30')
})
