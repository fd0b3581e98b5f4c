import { linkedinConnector as linkedin } from '@herald/platforms/linkedin/connector'
import type { LookUpInput, PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { describe, expect, test } from 'vitest'
import { grantAccess, pressButton } from './follow-oauth.ts'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const MB = 1024 * 1024
const BEGAN = Date.parse('2026-11-21T12:00:00.000Z')
const PDF = { mimeType: 'application/pdf' }

/** `ada` is a member, `adapage` the page that the member administers. */
async function arrange(sandbox: TestSandbox, username: string, media: PublishFile[] = []) {
  const { account, credentials } = await sandbox.account('LINKEDIN', username)
  const settings = platformSettings(await sandbox.settings('LINKEDIN')).of('LINKEDIN')
  const token = credentials['accessToken'] ?? ''
  const times = { rkeyTime: BEGAN, createdAt: new Date(BEGAN).toISOString() }
  const input = aPublishInput({ baseUrl: '', settings, token, account, media, ...times })
  return { account, credentials, settings, input }
}

/** What Herald does of a post that goes well; the sandbox's time goes on with each step. */
async function publish(
  sandbox: TestSandbox,
  input: PublishInput,
  step: Record<string, unknown> = {},
) {
  const onStep = async () => void (await sandbox.advance(2))
  const prepared = await linkedin.prepare({ ...input, step, onStep })
  if (prepared.outcome !== 'ready') return prepared
  return await linkedin.commit({ ...input, step: prepared.step })
}

function lookUpInput(input: PublishInput, step: Record<string, unknown> = {}): LookUpInput {
  return { ...input, step, calledAt: new Date().toISOString() }
}

describe.each(['ada', 'adapage'])('publishing to LinkedIn as %s', (username) => {
  test('a text is live as it was written, at the address that is answered', async () => {
    await using sandbox = await testSandbox()
    const { account, input } = await arrange(sandbox, username)
    const text = 'Grüße (all) to @ada: {a|b} <c> *d* _e_ ~f~ [g] \\ #tag # no\n1 & 2'
    const outcome = await publish(sandbox, { ...input, text })
    const [live] = await sandbox.live()
    expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
    expect(live).toMatchObject({ account, text })
    expect((await fetch(live.url)).status).toBe(200)
  })

  test.each<[string, PublishFile[]]>([
    ['one picture', [aFile('med_1', 'image', png(), { altText: 'A boat' })]],
    [
      'several pictures in their order',
      [1, 2, 3].map((index) =>
        aFile(`med_${index}`, 'image', png(10 * index), {
          altText: index === 2 ? null : `Boat ${index}`,
        }),
      ),
    ],
    ['an animated GIF', [aFile('med_1', 'gif', gif(), { altText: 'A boat' })]],
    ['a video of two parts', [aFile('med_1', 'video', mp4({ length: 4 * MB + 5 }))]],
    ['a document', [aFile('med_1', 'document', Buffer.from('%PDF-1.7 …'), PDF)]],
  ])('%s arrives with its bytes', async (_, media) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, username, media)
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    const bytes = await Promise.all(
      media.map(async (file) => Buffer.concat(await (await file.open()).toArray())),
    )
    expect(await sandbox.live()).toMatchObject([
      {
        text: 'Look',
        media: media.map(({ altText }, index) => ({ sha256: sha256(bytes[index]!), altText })),
      },
    ])
  })

  test.each<[string, Partial<PublishInput>, string]>([
    ['a text that is too long', { text: 'x'.repeat(3001) }, 'text_too_long'],
    ['no text', { text: '' }, 'platform_rejected'],
    [
      'a file of another type',
      { media: [aFile('med_1', 'gif', Buffer.from('text'))] },
      'media_unfit',
    ],
    [
      'a video that cannot be processed',
      { media: [aFile('med_1', 'video', brokenMp4())] },
      'media_unfit',
    ],
  ])('%s is the end of its post', async (_, more, errorCode) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, username)
    const outcome = await publish(sandbox, { ...input, ...more })
    expect(outcome).toMatchObject({ outcome: 'permanent', errorCode })
    expect(await sandbox.live()).toEqual([])
  })

  test('after a crash behind any step of a video, nothing is sent twice', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, username, [
      aFile('med_1', 'video', mp4({ length: 4 * MB + 5 })),
    ])
    const kept: Record<string, unknown>[] = []
    const onStep = async (step: Record<string, unknown>) => {
      kept.push(structuredClone(step))
      await sandbox.advance(2)
      throw new Error('crash')
    }
    for (;;) {
      const again = { ...input, step: kept.at(-1) ?? {}, onStep }
      const prepared = await linkedin.prepare(again).catch(() => undefined)
      if (!prepared) continue
      if (prepared.outcome !== 'ready') throw new Error(prepared.message)
      const outcome = await linkedin.commit({ ...input, step: prepared.step })
      expect(outcome).toMatchObject({ outcome: 'published' })
      break
    }
    // The beginning, two parts, the end, and that it is processed.
    expect(kept.length).toBe(5)
    expect((await sandbox.uploads()).length).toBe(2)
  })

  const faults: [string, string, number][] = [
    ['drop_before', 'unknown', 0],
    ['drop_after', 'unknown', 1],
    ['error_before', 'unknown', 0],
    ['error_after', 'unknown', 1],
    ['malformed', 'published', 1],
    ['slow', 'published', 1],
    ['rate_limit', 'rate_limited', 0],
    ['auth_expired', 'reauth', 0],
  ]
  test.each(faults)('a call that meets %s has the outcome %s', async (kind, outcome, count) => {
    await using sandbox = await testSandbox()
    const { account, input } = await arrange(sandbox, username)
    await sandbox.fault({ platform: 'LINKEDIN', kind, times: 1, account })
    expect(await publish(sandbox, input)).toMatchObject({ outcome })
    expect((await sandbox.live()).length).toBe(count)
    const renewed = (await arrange(sandbox, username)).input
    const looked = await linkedin.lookUp(lookUpInput(renewed))
    if (username === 'ada') expect(looked).toHaveProperty('cannotTell')
    else if (count === 0) expect(looked).toEqual({ absent: true })
    else expect(looked).toMatchObject({ found: { url: (await sandbox.live())[0].url } })
  })

  test('a call that nobody answers has an unknown outcome when the time is over', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, username)
    await sandbox.fault({ platform: 'LINKEDIN', kind: 'hang_after', times: 1 })
    const signal = AbortSignal.timeout(300)
    expect(await linkedin.commit({ ...input, signal, step: {} })).toMatchObject({
      outcome: 'unknown',
    })
  })

  test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
    '%s while a file is announced leaves nothing live, and is tried again',
    async (kind) => {
      await using sandbox = await testSandbox()
      const { input } = await arrange(sandbox, username, [aFile('med_1', 'image', png())])
      await sandbox.fault({ platform: 'LINKEDIN', kind, times: 1, on: 'media' })
      expect(await publish(sandbox, input)).toMatchObject({ outcome: 'transient' })
      expect(await sandbox.live()).toEqual([])
      expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    },
  )
})

describe('a post of unknown outcome on LinkedIn', () => {
  async function afterDrop(sandbox: TestSandbox, text = 'Look (here) #now') {
    const arranged = await arrange(sandbox, 'ada')
    const input = { ...arranged.input, text }
    await sandbox.fault({ platform: 'LINKEDIN', kind: 'drop_after', times: 1 })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'unknown' })
    await sandbox.advance(60)
    return input
  }
  const laterBy = (seconds: number) => new Date(BEGAN + seconds * 1000).toISOString()

  test('is found live when a person has it sent again, and nothing is doubled', async () => {
    await using sandbox = await testSandbox()
    const input = await afterDrop(sandbox)
    const [live] = await sandbox.live()
    const again = await publish(sandbox, { ...input, createdAt: laterBy(60) })
    expect(again).toEqual({
      outcome: 'published',
      platformPostId: live.id,
      url: live.url,
      publishedAt: live.at,
    })
    expect((await sandbox.live()).length).toBe(1)
  })

  test('is not taken for another post with the same text', async () => {
    await using sandbox = await testSandbox()
    const input = await afterDrop(sandbox)
    const other = { rkeyTime: BEGAN + 60_000, createdAt: laterBy(60) }
    expect(await publish(sandbox, { ...input, ...other })).toMatchObject({
      outcome: 'permanent',
      errorCode: 'duplicate',
    })
  })

  test('of a page is found by its files when it has no text', async () => {
    await using sandbox = await testSandbox()
    const media = [aFile('med_1', 'image', png())]
    const arranged = await arrange(sandbox, 'adapage', media)
    const input = { ...arranged.input, text: '' }
    const prepared = await linkedin.prepare(input)
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    const { step } = prepared
    expect(await linkedin.lookUp(lookUpInput(input, step))).toEqual({ absent: true })
    await sandbox.fault({ platform: 'LINKEDIN', kind: 'drop_after', times: 1 })
    expect(await linkedin.commit({ ...input, step })).toMatchObject({ outcome: 'unknown' })
    const [live] = await sandbox.live()
    expect(await linkedin.lookUp(lookUpInput(input, step))).toMatchObject({
      found: { platformPostId: live.id },
    })
  })
})

test('a page has no connections to show a post to', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, 'adapage')
  const options = { visibility: 'CONNECTIONS' }
  expect(await publish(sandbox, { ...input, options })).toMatchObject({ outcome: 'permanent' })
  const member = await arrange(sandbox, 'ada')
  expect(await publish(sandbox, { ...member.input, options })).toMatchObject({
    outcome: 'published',
  })
})

describe('access to LinkedIn', () => {
  test('is granted on the pages for the member and the page, renewed, and lost', async () => {
    await using sandbox = await testSandbox()
    const { account, settings, input } = await arrange(sandbox, 'ada')
    const page = await arrange(sandbox, 'adapage')
    const id = account.split(':').at(-1)!
    const { input: grant, granted } = await grantAccess(sandbox, linkedin.oauth!, {
      settings,
      account: id,
      now: BEGAN,
    })
    const expiresAt = BEGAN + 60 * 86_400_000
    expect(granted).toMatchObject([
      { account, name: 'ada', limits: { kind: 'person' }, expiresAt },
      { account: page.account, username: 'adapage', limits: { kind: 'organization' }, expiresAt },
    ])
    await expect(linkedin.oauth!.finish(grant)).rejects.toMatchObject({ name: 'ConnectError' })
    for (const { secrets } of granted)
      expect(
        (await linkedin.identify({ baseUrl: '', settings, credentials: secrets })).account,
      ).toBe(secrets['account'])
    await sandbox.advance(60 * 86_400)
    const { secrets } = granted[1]!
    const token = secrets['accessToken']!
    expect(await publish(sandbox, { ...input, token })).toMatchObject({ outcome: 'reauth' })
    const fresh = { baseUrl: '', settings, secrets, now: expiresAt, deadToken: token }
    const renewed = await linkedin.freshToken(fresh)
    expect(renewed.secrets).toMatchObject({
      account: page.account,
      refreshToken: secrets['refreshToken'],
    })
    expect(await publish(sandbox, { ...input, token: renewed.token })).toMatchObject({
      outcome: 'published',
    })
    await sandbox.ask('POST', '/_/tokens/revoke', {
      body: { platform: 'LINKEDIN', account: page.account },
    })
    await expect(linkedin.freshToken(fresh)).rejects.toMatchObject({ kind: 'refused' })
  })

  test('is not granted by who denies it', async () => {
    await using sandbox = await testSandbox()
    const { account, settings } = await arrange(sandbox, 'ada')
    const input = {
      baseUrl: '',
      settings,
      redirectUri: 'https://herald.example/callback',
      now: BEGAN,
    }
    const { url, kept } = await linkedin.oauth!.begin({ ...input, state: 's' })
    const query = await pressButton(sandbox, url, account.split(':').at(-1)!, 'deny')
    await expect(linkedin.oauth!.finish({ ...input, kept, query })).rejects.toMatchObject({
      kind: 'refused',
    })
  })
})
