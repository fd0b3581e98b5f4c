import type {
  LookUpInput,
  PrepareInput,
  PublishFile,
  PublishInput,
} from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { tiktokConnector as tiktok } from '@herald/platforms/tiktok/connector'
import { expect, test } from 'vitest'
import { fileHost } from './file-host.ts'
import { grantAccess, REDIRECT_URI, visit } from './grant.ts'
import { jpeg } from './jpeg.ts'
import { mp4, png } from './media-bytes.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'
import { MB, tiktokUser } from './tiktok.ts'

const VIDEO = mp4({ length: 17 * MB + 3 })
const OPTIONS = { privacyLevel: 'PUBLIC_TO_EVERYONE' }

async function arrange(sandbox: TestSandbox, overrides: Partial<PublishInput> = {}) {
  const user = await tiktokUser(sandbox, 'ada')
  const settings = platformSettings(await sandbox.settings('TIKTOK')).of('TIKTOK')
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

async function prepared(input: PrepareInput): Promise<LookUpInput> {
  const result = await tiktok.prepare(input)
  if (result.outcome !== 'ready') throw new Error(result.message)
  return { ...input, step: result.step, calledAt: '2026-11-21T12:00:00.000Z' }
}

async function publish(input: PrepareInput) {
  const result = await tiktok.prepare(input)
  return result.outcome === 'ready' ? tiktok.commit({ ...input, step: result.step }) : result
}

/** Pictures that are hosted at these addresses. */
function photos(...urls: string[]): PublishFile[] {
  return urls.map((url, index) =>
    aFile(`med_${index}`, 'image', png(), {
      imageUrl: async () => ({ url, mimeType: 'image/jpeg', width: 40, height: 30 }),
    }),
  )
}

/** Commits photos while the sandbox's time goes on. */
async function commitLater(
  sandbox: TestSandbox,
  input: PublishInput,
  step: Record<string, unknown>,
) {
  const outcome = tiktok.commit({ ...input, step })
  await expect.poll(async () => (await sandbox.requests()).length).toBeGreaterThan(0)
  await sandbox.advance(5)
  return await outcome
}

test('a video arrives with its bytes and text, and is found when TikTok has published it', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, { text: 'Grüße 🎉' })
  const ready = await prepared(input)
  expect(await tiktok.commit(ready)).toMatchObject({ outcome: 'unknown' })
  expect(await tiktok.lookUp(ready)).toHaveProperty('pending')
  await sandbox.advance(5)
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(live).toMatchObject({ text: 'Grüße 🎉', media: [{ sha256: sha256(VIDEO) }] })
  expect(await tiktok.lookUp(ready)).toEqual({
    found: { platformPostId: live.id, url: live.url, publishedAt: '2026-11-21T12:00:00.000Z' },
  })
  expect((await sandbox.uploads()).length).toBe(2)
  expect((await sandbox.requests()).length).toBe(1)
})

test.each([100, 5 * MB - 1, 5 * MB, 10 * MB - 1, 10 * MB, 10 * MB + 1])(
  'a video of %i bytes is cut as TikTok wants it',
  async (length) => {
    await using sandbox = await testSandbox()
    const bytes = length === 100 ? mp4() : mp4({ length })
    const { input } = await arrange(sandbox, { media: [aFile('med_1', 'video', bytes)] })
    expect(await publish(input)).toMatchObject({ outcome: 'unknown' })
    await sandbox.advance(2)
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(bytes) }] }])
  },
)

test('photos are hosted, fetched and published', async () => {
  await using sandbox = await testSandbox()
  await using host = await fileHost({ '/1': jpeg(), '/2': jpeg(50, 60, 70) })
  const media = photos(`${host.url}/1`, `${host.url}/2`)
  const options = { ...OPTIONS, title: 'Boats' }
  const { input } = await arrange(sandbox, { text: 'On the sea', media, options })
  const { step } = await prepared(input)
  const outcome = await commitLater(sandbox, input, step)
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
  expect(live).toMatchObject({
    title: 'Boats',
    text: 'On the sea',
    media: [{ sha256: sha256(jpeg()) }, { width: 50, height: 60 }],
  })
})

test.each([
  ['cannot be fetched', '/none', { outcome: 'transient' }],
  ['are PNG', '/png', { outcome: 'permanent', errorCode: 'media_unfit' }],
])('photos that %s are not published', async (_, path, expected) => {
  await using sandbox = await testSandbox()
  await using host = await fileHost({ '/png': png() })
  const { input } = await arrange(sandbox, { media: photos(`${host.url}${path}`) })
  const { step } = await prepared(input)
  expect(await commitLater(sandbox, input, step)).toMatchObject(expected)
  expect(await sandbox.live()).toEqual([])
})

test('photos whose call was cut off are found by their text, and none is taken for them', async () => {
  await using sandbox = await testSandbox()
  await using host = await fileHost({ '/1': jpeg() })
  const { input } = await arrange(sandbox, { media: photos(`${host.url}/1`) })
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'TIKTOK', kind: 'drop_after', times: 1 })
  expect(await tiktok.commit(ready)).toMatchObject({ outcome: 'unknown' })
  expect(await tiktok.lookUp(ready)).toEqual({ absent: true })
  await sandbox.advance(5)
  const [live] = await sandbox.live()
  // The clock of the sandbox stands far from that of the machine, and it says so.
  const calledAt = new Date().toISOString()
  expect(await tiktok.lookUp({ ...ready, calledAt })).toMatchObject({
    found: { platformPostId: live.id, url: live.url },
  })
  expect(await tiktok.lookUp({ ...ready, calledAt, text: 'Other' })).toEqual({ absent: true })
})

test.each<[string, Partial<PublishInput>, string]>([
  ['a text that is too long', { text: 'x'.repeat(2201) }, 'platform_rejected'],
  [
    'a level that the creator cannot choose',
    { options: { privacyLevel: 'FOLLOWER_OF_CREATOR' } },
    'invalid_options',
  ],
  ['no level', { options: {} }, 'invalid_options'],
  ['a document', { media: [aFile('med_1', 'document', png())] }, 'media_mix'],
])('%s is refused, and nothing is sent', async (_, overrides, errorCode) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, overrides)
  expect(await publish(input)).toMatchObject({ outcome: 'permanent', errorCode })
  expect(await sandbox.uploads()).toEqual([])
})

test('preparing that is killed after each of its steps goes on and sends no chunk twice', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  let step: Record<string, unknown> = {}
  let kills = 0
  for (;;) {
    const onStep = async (done: Record<string, unknown>) => {
      step = structuredClone(done)
      throw new Error('killed')
    }
    const result = await tiktok.prepare({ ...input, step, onStep }).catch(() => 'killed')
    if (result !== 'killed') break
    kills += 1
  }
  expect(kills).toBe(3)
  expect(
    (await sandbox.uploads()).map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes),
  ).toEqual([5 * MB, 5 * MB])
  expect(await tiktok.commit({ ...input, step })).toMatchObject({ outcome: 'unknown' })
  await sandbox.advance(2)
  expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
})

test.each([
  'drop_before',
  'drop_after',
  'error_before',
  'error_after',
  'malformed',
  'rate_limit',
  'auth_expired',
])('a chunk that meets %s leaves nothing live, and the upload goes on from there', async (kind) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  let step: Record<string, unknown> = {}
  const onStep = async (done: Record<string, unknown>) => {
    if (Object.keys(step).length === 0)
      await sandbox.fault({ platform: 'TIKTOK', kind, times: 1, on: 'media' })
    step = structuredClone(done)
  }
  const outcome = new Map([
    ['rate_limit', 'rate_limited'],
    ['auth_expired', 'reauth'],
  ]).get(kind)
  expect(await tiktok.prepare({ ...input, onStep })).toMatchObject({
    outcome: outcome ?? 'transient',
  })
  const again = await prepared({ ...input, step })
  expect(again.step['publishId']).toBe(step['publishId'])
  await tiktok.commit(again)
  await sandbox.advance(2)
  expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
})

test.each([
  ['drop_before', 'unknown', false],
  ['error_before', 'unknown', false],
  ['drop_after', 'unknown', true],
  ['error_after', 'unknown', true],
  ['malformed', 'unknown', true],
  ['slow', 'unknown', true],
  ['rate_limit', 'rate_limited', false],
  ['auth_expired', 'reauth', false],
])(
  'a last chunk that meets %s is %s, and TikTok tells the truth',
  async (kind, outcome, isLive) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const ready = await prepared(input)
    await sandbox.fault({ platform: 'TIKTOK', kind, times: 1 })
    expect(await tiktok.commit(ready)).toMatchObject({ outcome })
    await sandbox.advance(5)
    const [live] = await sandbox.live()
    const found = await tiktok.lookUp(ready)
    if (isLive) expect(found).toMatchObject({ found: { platformPostId: live.id } })
    else expect([live, found]).toEqual([undefined, { absent: true }])
    expect((await sandbox.requests()).length).toBe(1)
  },
)

test.each([
  ['drop_before', 'unknown'],
  ['error_before', 'unknown'],
  ['error_after', 'unknown'],
  ['malformed', 'unknown'],
  ['rate_limit', 'rate_limited'],
  ['auth_expired', 'reauth'],
])('a call for photos that meets %s is %s', async (kind, outcome) => {
  await using sandbox = await testSandbox()
  await using host = await fileHost({ '/1': jpeg() })
  const { input } = await arrange(sandbox, { media: photos(`${host.url}/1`) })
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'TIKTOK', kind, times: 1 })
  expect(await tiktok.commit(ready)).toMatchObject({ outcome })
  expect((await sandbox.requests()).length).toBe(1)
})

test('a last chunk that is not answered is given up at the deadline', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.fault({ platform: 'TIKTOK', kind: 'hang_after', times: 1 })
  const signal = AbortSignal.timeout(500)
  expect(await tiktok.commit({ ...ready, signal })).toMatchObject({ outcome: 'unknown' })
})

test.each([
  ['duration_check_failed', 'media_unfit'],
  ['spam_risk_text', 'platform_rejected'],
  ['spam_risk_user_banned_from_posting', 'account_suspended'],
])(
  'a video that TikTok turns down later (%s) is told by looking it up',
  async (reason, errorCode) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, { text: `#sandbox-fail:${reason}` })
    const ready = await prepared(input)
    await tiktok.commit(ready)
    await sandbox.advance(2)
    expect(await tiktok.lookUp(ready)).toMatchObject({ refused: { errorCode } })
    expect(await sandbox.live()).toEqual([])
  },
)

test('an upload whose hour is over at the commit is begun anew', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const ready = await prepared(input)
  await sandbox.advance(3600)
  expect(await tiktok.commit(ready)).toMatchObject({
    outcome: 'unprepared',
  })
  expect(await sandbox.live()).toEqual([])
  await tiktok.commit(await prepared(input))
  await sandbox.advance(2)
  expect(await sandbox.live()).toHaveLength(1)
})

test('an upload whose hour is over before that is begun anew', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox)
  const killed = { step: {} as Record<string, unknown> }
  const kill = async (step: Record<string, unknown>) => {
    killed.step = step
    throw new Error('killed')
  }
  await expect(tiktok.prepare({ ...input, onStep: kill })).rejects.toThrow('killed')
  await sandbox.advance(3600)
  const { step: begun } = killed
  const onStep = async (step: Record<string, unknown>) => void (killed.step = step)
  expect(await tiktok.prepare({ ...input, step: begun, onStep })).toMatchObject({
    outcome: 'transient',
  })
  const again = await prepared({ ...input, step: killed.step })
  expect(again.step['publishId']).not.toBe(begun['publishId'])
  expect(await tiktok.commit(again)).toMatchObject({ outcome: 'unknown' })
  await sandbox.advance(2)
  expect((await sandbox.live()).length).toBe(1)
})

test('a creator that has posted enough for a day is heard of before anything is sent', async () => {
  await using sandbox = await testSandbox()
  const { user, input } = await arrange(sandbox)
  for (let post = 0; post < 15; post += 1) {
    if (post % 6 === 5) await sandbox.advance(60)
    await user.post(mp4())
  }
  const before = (await sandbox.requests()).length
  expect(await tiktok.prepare(input)).toMatchObject({ outcome: 'rate_limited' })
  expect((await sandbox.requests()).length).toBe(before)
})

test('access is granted on the pages of TikTok, renewed with another refresh token, and ended', async () => {
  await using sandbox = await testSandbox()
  const { user, settings, input } = await arrange(sandbox)
  const [identity, ...others] = await grantAccess(tiktok.oauth, settings, user.account)
  expect(others).toEqual([])
  expect(identity).toMatchObject({
    account: user.account,
    username: 'ada',
    limits: { privacyLevels: expect.arrayContaining(['SELF_ONLY']), maxVideoSeconds: 600 },
  })
  const { secrets } = identity!
  const old = secrets['accessToken'] ?? ''
  await sandbox.advance(86_400)
  expect(await publish({ ...input, token: old })).toMatchObject({ outcome: 'reauth' })
  const asked = { baseUrl: '', settings, secrets, now: Date.now(), deadToken: old }
  const { token, secrets: renewed = {} } = await tiktok.freshToken(asked)
  expect(token).not.toBe(old)
  expect(renewed['refreshToken']).not.toBe(secrets['refreshToken'])
  await expect(tiktok.freshToken(asked)).rejects.toMatchObject({ kind: 'refused' })
  expect(await publish({ ...input, token })).toMatchObject({ outcome: 'unknown' })
  await tiktok.oauth!.revoke!({ baseUrl: '', settings, secrets: renewed })
  const dead = { ...asked, secrets: renewed, deadToken: token }
  await expect(tiktok.freshToken(dead)).rejects.toMatchObject({ kind: 'refused' })
})

test('a person who denies access is told so', async () => {
  await using sandbox = await testSandbox()
  const { user, settings } = await arrange(sandbox)
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: Date.now() }
  const { url, kept } = await tiktok.oauth!.begin({ ...grant, state: 's' })
  const query = await visit(url, { account: user.account, decision: 'deny' })
  const finished = tiktok.oauth!.finish({ ...grant, kept, query })
  await expect(finished).rejects.toMatchObject({ kind: 'refused' })
})

test('a grant that its owner ended is told from a token that is over', async () => {
  await using sandbox = await testSandbox()
  const { user, settings, input } = await arrange(sandbox)
  const body = { platform: 'TIKTOK', account: user.account }
  await sandbox.ask('POST', '/_/tokens/revoke', { body })
  expect(await publish(input)).toMatchObject({ outcome: 'reauth' })
  const secrets = user.credentials
  const asked = { baseUrl: '', settings, secrets, now: Date.now(), deadToken: user.token }
  await expect(tiktok.freshToken(asked)).rejects.toMatchObject({ kind: 'refused' })
})

test('what a creator may choose is offered and kept as its limits', async () => {
  await using sandbox = await testSandbox()
  const { settings } = await arrange(sandbox)
  const { account, token, credentials } = await tiktokUser(sandbox, 'privateshort')
  const limits = {
    privacyLevels: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    maxVideoSeconds: 60,
  }
  expect(await tiktok.identify({ baseUrl: '', settings, credentials })).toMatchObject({ limits })
  const input = { baseUrl: '', settings, token, account, limits: {} }
  expect(await tiktok.readLimits!(input)).toEqual({ rules: {}, limits })
  expect(await tiktok.choices!({ ...input, query: {} })).toEqual([
    {
      field: 'tiktok.privacyLevel',
      choices: [
        { value: 'FOLLOWER_OF_CREATOR', label: 'Followers' },
        { value: 'MUTUAL_FOLLOW_FRIENDS', label: 'Friends' },
        { value: 'SELF_ONLY', label: 'Only you' },
      ],
    },
  ])
})
