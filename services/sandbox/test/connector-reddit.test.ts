import { eventually } from '@herald/testing/eventually'
import { FileUnfit, type PublishFile, type PublishInput } from '@herald/platforms/platform'
import { redditConnector as reddit } from '@herald/platforms/reddit/connector'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function settingsOf(sandbox: TestSandbox) {
  return platformSettings(await sandbox.settings('REDDIT')).of('REDDIT')
}

async function arrange(sandbox: TestSandbox, media: PublishFile[] = []) {
  const { account, baseUrl, credentials } = await sandbox.account('REDDIT', 'ada')
  return aPublishInput({
    baseUrl,
    account,
    token: credentials['accessToken'] ?? '',
    settings: await settingsOf(sandbox),
    options: { subreddit: 'boats', title: 'A boat' },
    media,
  })
}

function aVideo(bytes: Buffer) {
  const image = () => Promise.reject(new FileUnfit('A video is no picture.'))
  return aFile('med_1', 'video', bytes, { image })
}

/** What Herald does of a post that goes well. The sandbox's time goes on once the post was taken. */
async function publish(sandbox: TestSandbox, input: PublishInput) {
  const prepared = await reddit.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  const committed = reddit.commit({ ...input, step: prepared.step })
  if (input.media.length === 1) {
    await eventually(async () => expect(await sandbox.requests()).toHaveLength(1))
    await sandbox.advance(2)
  }
  return await committed
}

const lookUp = (input: PublishInput) =>
  // The sandbox's clock tells its own time with every answer, whole seconds.
  reddit.lookUp({ ...input, step: {}, calledAt: new Date().toISOString() })

test('a text is published with its title and options', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  const options = { ...input.options, title: 'A\r\nboat', nsfw: true, spoiler: true }
  const outcome = await publish(sandbox, { ...input, options })
  const [live] = await sandbox.live()
  expect(live).toMatchObject({ title: 'A boat', text: 'Look' })
  expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
})

test.each(['', 'See there'])('a link is published with the text %j', async (text) => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  const link = 'https://example.com/boat'
  const outcome = await publish(sandbox, { ...input, text, options: { ...input.options, link } })
  expect(outcome).toMatchObject({ outcome: 'published' })
  expect(await sandbox.live()).toMatchObject([{ link, text }])
})

test.each([
  ['a picture', aFile('med_1', 'image', png(40, 30))],
  ['an animated GIF', aFile('med_1', 'gif', gif())],
  ['a video, under a black poster', aVideo(mp4({ length: 300_000 }))],
  [
    'a video, under its first frame',
    aFile('med_1', 'video', mp4(), {
      image: async () => ({ bytes: png(), mimeType: 'image/png', width: 4, height: 3 }),
    }),
  ],
])('%s is published when Reddit has processed it', async (_, file) => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [file])
  const outcome = await publish(sandbox, input)
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
  const bytes = Buffer.concat(await (await file.open()).toArray())
  expect(live).toMatchObject({ text: 'Look', media: [{ sha256: sha256(bytes) }] })
})

test('several pictures become a gallery in their order', async () => {
  await using sandbox = await testSandbox()
  const pictures = [1, 2, 3].map((index) => png(10 * index, 20))
  const media = pictures.map((bytes, index) => aFile(`med_${index}`, 'image', bytes))
  const outcome = await publish(sandbox, await arrange(sandbox, media))
  const [live] = await sandbox.live()
  expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
  expect(live.media).toMatchObject(pictures.map((bytes) => ({ sha256: sha256(bytes) })))
})

test('a video that Reddit cannot process is the end of its post', async () => {
  await using sandbox = await testSandbox()
  const outcome = await publish(sandbox, await arrange(sandbox, [aVideo(brokenMp4())]))
  expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_unfit' })
  expect(await sandbox.live()).toEqual([])
})

test('a post that Reddit is still working on when the time is over is found later', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const prepared = await reddit.prepare(input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  const stop = new AbortController()
  const committed = reddit.commit({ ...input, step: prepared.step, signal: stop.signal })
  await eventually(async () => expect(await sandbox.requests()).toHaveLength(1))
  stop.abort()
  expect(await committed).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp(input)).toEqual({ absent: true })
  await sandbox.advance(2)
  const [live] = await sandbox.live()
  expect(await lookUp(input)).toMatchObject({
    found: {
      platformPostId: live.id,
      url: live.url,
      publishedAt: live.at.replace(/\.\d+/, '.000'),
    },
  })
})

test.each([
  ['a title that is too long', { title: 'x'.repeat(301) }, 'text_too_long'],
  ['an unknown subreddit', { subreddit: 'nosuchplace' }, 'subreddit_not_found'],
  ['a subreddit of others', { subreddit: 'restricted' }, 'missing_permission'],
  ['a private subreddit', { subreddit: 'private' }, 'missing_permission'],
  ['a subreddit without texts', { subreddit: 'linksonly' }, 'kind_not_allowed'],
  ['a missing flair', { subreddit: 'flaired' }, 'flair_required'],
  ['a flair of another subreddit', { flairId: 'another' }, 'platform_rejected'],
  ['no title', { title: ' ' }, 'text_empty'],
  ['no subreddit', { subreddit: undefined }, 'invalid_options'],
])('%s is the end of a post', async (_, options, errorCode) => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  expect(
    await publish(sandbox, { ...input, options: { ...input.options, ...options } }),
  ).toMatchObject({ outcome: 'permanent', errorCode })
  expect(await sandbox.live()).toEqual([])
})

test('who has to wait is told until when', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  const before = Date.now()
  const outcome = await publish(sandbox, { ...input, options: { subreddit: 'busy', title: 'A' } })
  expect(outcome).toMatchObject({ outcome: 'rate_limited', retryAt: expect.any(Number) })
  if (outcome.outcome !== 'rate_limited') return
  expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 540_000)
})

test.each([
  ['drop_before', 'unknown', 0],
  ['drop_after', 'unknown', 1],
  ['error_before', 'unknown', 0],
  ['error_after', 'unknown', 1],
  ['malformed', 'unknown', 1],
  ['rate_limit', 'rate_limited', 0],
  ['auth_expired', 'reauth', 0],
])('a call that meets %s is %s, and what is live is found', async (kind, outcome, count) => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  await sandbox.fault({ platform: 'REDDIT', kind, times: 1 })
  const step = {}
  expect(await reddit.commit({ ...input, step })).toMatchObject({ outcome })
  const live = await sandbox.live()
  expect(live).toHaveLength(count)
  if (outcome !== 'unknown') return
  expect(await lookUp(input)).toMatchObject(
    count === 0 ? { absent: true } : { found: { platformPostId: live[0].id } },
  )
})

test('a call that is not answered, or slowly, is waited for', async () => {
  await using sandbox = await testSandbox()
  const input = await arrange(sandbox)
  await sandbox.fault({ platform: 'REDDIT', kind: 'slow', times: 1 })
  expect(await reddit.commit({ ...input, step: {} })).toMatchObject({ outcome: 'published' })
  await sandbox.fault({ platform: 'REDDIT', kind: 'hang_after', times: 1 })
  const stop = new AbortController()
  const hanging = reddit.commit({ ...input, step: {}, signal: stop.signal })
  await eventually(async () => expect(await sandbox.live()).toHaveLength(2))
  stop.abort()
  expect(await hanging).toMatchObject({ outcome: 'unknown' })
  expect(await lookUp(input)).toHaveProperty('cannotTell')
})

test('after a crash behind any upload nothing is uploaded twice', async () => {
  await using sandbox = await testSandbox()
  const media = [1, 2, 3].map((index) => aFile(`med_${index}`, 'image', png(10 * index)))
  const input = await arrange(sandbox, media)
  let step: Record<string, unknown> = {}
  for (let kept = 0; kept < 3; kept++) {
    const onStep = async (done: Record<string, unknown>) => {
      step = structuredClone(done)
      throw new Error('crash')
    }
    await expect(reddit.prepare({ ...input, step, onStep })).rejects.toThrow('crash')
  }
  const before = (await sandbox.uploads()).length
  expect(await reddit.prepare({ ...input, step })).toEqual({ outcome: 'ready', step })
  // A lease and a file for each picture.
  expect([before, (await sandbox.uploads()).length]).toEqual([6, 6])
  expect(await reddit.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
})

test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
  'an upload that meets %s leaves nothing live, and is tried again',
  async (kind) => {
    await using sandbox = await testSandbox()
    const input = await arrange(sandbox, [aVideo(mp4())])
    await sandbox.fault({ platform: 'REDDIT', kind, times: 1, on: 'media' })
    expect(await reddit.prepare(input)).toMatchObject({ outcome: 'transient' })
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
  },
)

test('a file that is too large for Reddit is the end of its post', async () => {
  await using sandbox = await testSandbox()
  const bytes = gif(5, 6, 20 * 1024 * 1024 + 1)
  const input = await arrange(sandbox, [aFile('med_1', 'gif', bytes)])
  expect(await reddit.prepare(input)).toMatchObject({
    outcome: 'permanent',
    errorCode: 'media_unfit',
  })
})
