import { eventually } from '@herald/testing/eventually'
import { pinterestConnector as pinterest } from '@herald/platforms/pinterest/connector'
import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { grantAccess, REDIRECT_URI, visit } from './grant.ts'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { named } from './pinterest.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function settingsOf(sandbox: TestSandbox) {
  return platformSettings(await sandbox.settings('PINTEREST')).of('PINTEREST')
}

async function arrange(sandbox: TestSandbox, media: PublishFile[]) {
  const { account, baseUrl, credentials } = await sandbox.account('PINTEREST', 'ada')
  const settings = await settingsOf(sandbox)
  const token = credentials['accessToken'] ?? ''
  const limits = {}
  const chosen = await pinterest.choices?.({ baseUrl, settings, token, account, limits, query: {} })
  const boardId = chosen?.[0]?.choices[0]?.value
  return aPublishInput({ baseUrl, account, token, settings, options: { boardId }, media })
}

/** A picture that is hosted as it is. */
function aPicture(
  id: string,
  url: string,
  width = 40,
  height = 30,
  more: Partial<PublishFile> = {},
) {
  const imageUrl = async () => ({ url, mimeType: 'image/png', width, height })
  return aFile(id, 'image', png(width, height), { url, imageUrl, ...more })
}

/** What Herald does of a pin that goes well. The sandbox's time goes on with each step that is kept. */
async function publish(sandbox: TestSandbox, input: PublishInput) {
  const onStep = async () => void (await sandbox.advance(2))
  const prepared = await pinterest.prepare({ ...input, onStep })
  if (prepared.outcome !== 'ready') return prepared
  return await pinterest.commit({ ...input, step: prepared.step })
}

const lookUp = (input: PublishInput) =>
  pinterest.lookUp({ ...input, step: {}, calledAt: new Date().toISOString() })

test('a picture is pinned with its texts and link', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30) })
  const input = await arrange(sandbox, [
    aPicture('med_1', files.urlOf('a'), 40, 30, { altText: 'A boat' }),
  ])
  const options = { ...input.options, title: 'Boats', link: 'https://example.com/boat' }
  const outcome = await publish(sandbox, { ...input, options })
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(outcome).toEqual({
    outcome: 'published',
    platformPostId: live.id,
    url: live.url,
    publishedAt: live.at,
  })
  expect(live).toMatchObject({
    title: 'Boats',
    text: 'Look',
    link: 'https://example.com/boat',
    media: [{ sha256: sha256(png(40, 30)), altText: 'A boat' }],
  })
})

test('several pictures become a carousel in their order, without a text too', async () => {
  await using sandbox = await testSandbox()
  const pictures = [60, 70, 80].map((length) => png(40, 30, length))
  const byName = Object.fromEntries(pictures.map((bytes, index) => [String(index), bytes]))
  await using files = await named(byName)
  const media = pictures.map((_, index) => aPicture(`med_${index}`, files.urlOf(String(index))))
  const input = await arrange(sandbox, media)
  expect(await publish(sandbox, { ...input, text: '' })).toMatchObject({ outcome: 'published' })
  expect(await sandbox.live()).toMatchObject([
    { text: '', media: pictures.map((bytes) => ({ sha256: sha256(bytes) })) },
  ])
})

test('an animated GIF is fetched as it is', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: gif() })
  const input = await arrange(sandbox, [aFile('med_1', 'gif', gif(), { url: files.urlOf('a') })])
  expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
  expect(await sandbox.live()).toMatchObject([{ media: [{ mimeType: 'image/gif' }] }])
})

test('a video is uploaded, waited for, and pinned under one of its frames', async () => {
  await using sandbox = await testSandbox()
  const bytes = mp4({ length: 3_000_000 })
  const input = await arrange(sandbox, [aFile('med_1', 'video', bytes, { altText: 'A film' })])
  expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
  expect(await sandbox.live()).toMatchObject([
    { text: 'Look', media: [{ sha256: sha256(bytes), altText: 'A film' }] },
  ])
})

test('a video that Pinterest cannot process is the end of its pin', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [aFile('med_1', 'video', brokenMp4())])
  expect(await publish(sandbox, input)).toMatchObject({
    outcome: 'permanent',
    errorCode: 'media_unfit',
  })
  expect(await sandbox.live()).toEqual([])
})

test('after a crash behind any step a video is not uploaded twice', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [aFile('med_1', 'video', mp4())])
  let step: Record<string, unknown> = {}
  for (const _ of ['uploaded', 'processed']) {
    const onStep = async (done: Record<string, unknown>) => {
      step = structuredClone(done)
      await sandbox.advance(2)
      throw new Error('crash')
    }
    await expect(pinterest.prepare({ ...input, step, onStep })).rejects.toThrow('crash')
  }
  expect(await pinterest.prepare({ ...input, step })).toEqual({ outcome: 'ready', step })
  // The announcement and the file.
  expect(await sandbox.uploads()).toHaveLength(2)
  expect(await pinterest.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
})

test('a video that is still processed when the time is over is waited for by the next call', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [aFile('med_1', 'video', mp4())])
  const stop = new AbortController()
  let step: Record<string, unknown> = {}
  const onStep = async (done: Record<string, unknown>) => {
    step = structuredClone(done)
    stop.abort()
  }
  const early = await pinterest.prepare({ ...input, signal: stop.signal, onStep })
  expect(early).toMatchObject({ outcome: 'transient' })
  await sandbox.advance(2)
  expect(await pinterest.prepare({ ...input, step })).toMatchObject({ outcome: 'ready' })
})

test('a picture that Pinterest cannot fetch is tried again later', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({})
  const input = await arrange(sandbox, [aPicture('med_1', files.urlOf('nothing'))])
  expect(await publish(sandbox, input)).toMatchObject({ outcome: 'transient' })
  expect(await sandbox.live()).toEqual([])
})

test.each([
  ['a title that is too long', { title: 'x'.repeat(101) }, {}, 'text_too_long'],
  ['a text that is too long', {}, { text: 'x'.repeat(801) }, 'text_too_long'],
  ['an unknown board', { boardId: '1' }, {}, 'board_not_found'],
  ['no board', { boardId: undefined }, {}, 'invalid_options'],
  ['no file', {}, { media: [] }, 'media_missing'],
])('%s is the end of a pin', async (_, options, more, errorCode) => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30) })
  const input = await arrange(sandbox, [aPicture('med_1', files.urlOf('a'))])
  const changed = { ...input, ...more, options: { ...input.options, ...options } }
  expect(await publish(sandbox, changed)).toMatchObject({ outcome: 'permanent', errorCode })
  expect(await sandbox.live()).toEqual([])
})

test('pictures of two sizes, which Herald would not send, are refused by Pinterest too', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30), b: png(30, 40) })
  const media = ['a', 'b'].map((name) => aPicture(name, files.urlOf(name)))
  expect(await publish(sandbox, await arrange(sandbox, media))).toMatchObject({
    outcome: 'permanent',
    errorCode: 'media_unfit',
  })
})

test.each([
  ['drop_before', 'unknown', 0],
  ['drop_after', 'unknown', 1],
  ['error_before', 'unknown', 0],
  ['error_after', 'unknown', 1],
  ['malformed', 'unknown', 1],
  ['slow', 'published', 1],
  ['rate_limit', 'rate_limited', 0],
  ['auth_expired', 'reauth', 0],
])('a call that meets %s is %s, and what is live is found', async (kind, outcome, count) => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30) })
  const input = await arrange(sandbox, [aPicture('med_1', files.urlOf('a'))])
  await sandbox.fault({ platform: 'PINTEREST', kind, times: 1 })
  expect(await publish(sandbox, input)).toMatchObject({ outcome })
  const live = await sandbox.live()
  expect(live).toHaveLength(count)
  if (outcome !== 'unknown') return
  expect(await lookUp(input)).toMatchObject(
    count === 0 ? { absent: true } : { found: { platformPostId: live[0].id, url: live[0].url } },
  )
})

test('a call that is not answered is found live', async () => {
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30) })
  const input = await arrange(sandbox, [aPicture('med_1', files.urlOf('a'))])
  await sandbox.fault({ platform: 'PINTEREST', kind: 'hang_after', times: 1 })
  const stop = new AbortController()
  const hanging = publish(sandbox, { ...input, signal: stop.signal })
  await eventually(async () => expect(await sandbox.live()).toHaveLength(1))
  stop.abort()
  expect(await hanging).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp(input)).toHaveProperty('found')
})

test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
  'an upload that meets %s leaves nothing live, and is tried again',
  async (kind) => {
    await using sandbox = await testSandbox()
    const input = await arrange(sandbox, [aFile('med_1', 'video', mp4())])
    await sandbox.fault({ platform: 'PINTEREST', kind, times: 1, on: 'media' })
    expect(await pinterest.prepare(input)).toMatchObject({ outcome: 'transient' })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
  },
)

test('access is granted in a browser and renewed with a new refresh token each time', async () => {
  await using sandbox = await testSandbox()
  const { account } = await sandbox.account('PINTEREST', 'ada')
  const settings = await settingsOf(sandbox)
  const [identity] = await grantAccess(pinterest.oauth, settings, account)
  if (!identity) throw new Error('There is no account.')
  expect(identity).toMatchObject({ account, username: 'ada', name: 'ada', rules: {} })
  const { secrets } = identity
  const now = Number(secrets['expiresAt']) - 86_400_000
  const input = { baseUrl: '', settings, secrets, now }
  expect((await pinterest.freshToken(input)).token).toBe(secrets['accessToken'])
  const ahead = { ...input, aheadMs: 2 * 86_400_000 }
  const renewed = await pinterest.freshToken(ahead)
  expect(renewed.token).not.toBe(secrets['accessToken'])
  expect(renewed.expiresAt).toBe(now + 30 * 86_400_000)
  expect(renewed.secrets?.['refreshToken']).not.toBe(secrets['refreshToken'])
  // The old refresh token is used up.
  await expect(pinterest.freshToken(ahead)).rejects.toMatchObject({ kind: 'refused' })
  const again = { ...ahead, secrets: renewed.secrets ?? {}, deadToken: renewed.token }
  expect((await pinterest.freshToken(again)).token).not.toBe(renewed.token)
})

test('a person who denies access, or a code that is made up, connects nothing', async () => {
  await using sandbox = await testSandbox()
  const { account } = await sandbox.account('PINTEREST', 'ada')
  const settings = await settingsOf(sandbox)
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: 0 }
  const begun = await pinterest.oauth?.begin({ ...grant, state: 's' })
  const denied = await visit(begun?.url ?? '', { account, decision: 'deny' })
  for (const query of [denied, { code: 'made-up' }])
    await expect(pinterest.oauth?.finish({ ...grant, kept: {}, query })).rejects.toMatchObject({
      kind: 'refused',
    })
})

test('a token that was got elsewhere can be connected, and a dead one not', async () => {
  await using sandbox = await testSandbox()
  const { account, baseUrl, credentials } = await sandbox.account('PINTEREST', 'ada')
  const settings = await settingsOf(sandbox)
  const input = { baseUrl, credentials, settings }
  expect(await pinterest.identify(input)).toMatchObject({ account, secrets: credentials })
  await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'PINTEREST', account } })
  await expect(pinterest.identify(input)).rejects.toMatchObject({ kind: 'refused' })
})

test('all boards can be chosen, on however many pages they are', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [])
  for (let index = 0; index < 260; index++)
    await sandbox.ask('POST', '/pinterest/v5/boards', {
      token: input.token,
      body: { name: `Board ${index}` },
    })
  const [boards] = (await pinterest.choices?.({ ...input, query: {} })) ?? []
  expect(boards).toMatchObject({ field: 'pinterest.boardId' })
  expect(boards?.choices).toHaveLength(262)
  expect(boards?.choices[0]).toEqual({ value: input.options['boardId'], label: 'Boats' })
  await sandbox.fault({ platform: 'PINTEREST', kind: 'auth_expired', times: 1, on: 'read' })
  await expect(pinterest.choices?.({ ...input, query: {} })).rejects.toMatchObject({
    kind: 'refused',
  })
})
