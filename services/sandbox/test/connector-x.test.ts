import type { LookUpInput, PublishInput } from '@herald/platforms/platform'
import { xConnector as x } from '@herald/platforms/x/connector'
import { describe, expect, test } from 'vitest'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { aFile, sha256 } from './publish-file.ts'
import { testSandbox } from './sandbox.ts'
import { xUser } from './x.ts'
import { arrange, publish } from './x-publishing.ts'

const MB = 1024 * 1024

function lookUpInput(input: PublishInput, step: Record<string, unknown> = {}): LookUpInput {
  return { ...input, step, calledAt: new Date().toISOString() }
}

describe('publishing to X', () => {
  test('a text is live at the address that is answered', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const outcome = await publish(sandbox, { ...input, text: 'Grüße & more: example.com 👨‍👩‍👧' })
    const [live] = await sandbox.live()
    expect(outcome).toMatchObject({ outcome: 'published', platformPostId: live.id, url: live.url })
    expect(live.text).toBe('Grüße & more: example.com 👨‍👩‍👧')
  })

  test('four pictures arrive in their order, each with its bytes and alt text', async () => {
    await using sandbox = await testSandbox()
    const pictures = [1, 2, 3, 4].map((index) => png(10 * index, 20, 100 + index))
    const media = pictures.map((bytes, index) =>
      aFile(`med_${index}`, 'image', bytes, { altText: index === 2 ? null : `Boat ${index}` }),
    )
    const { input } = await arrange(sandbox, media)
    expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([
      {
        text: 'Look',
        media: pictures.map((bytes, index) => ({
          sha256: sha256(bytes),
          width: 10 * (index + 1),
          altText: index === 2 ? null : `Boat ${index}`,
        })),
      },
    ])
  })

  test.each([
    ['a video of several parts', aFile('med_1', 'video', mp4({ length: 2 * MB + 7 }))],
    ['an animated GIF', aFile('med_1', 'gif', gif())],
  ])('%s is waited for until it is processed, and its post needs no text', async (_, file) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, [file])
    expect(await publish(sandbox, { ...input, text: '' })).toMatchObject({ outcome: 'published' })
    const bytes = Buffer.concat(await (await file.open()).toArray())
    expect(await sandbox.live()).toMatchObject([{ text: '', media: [{ sha256: sha256(bytes) }] }])
  })

  test.each<[string, Partial<PublishInput>, object]>([
    ['a text that is too long', { text: 'x'.repeat(281) }, { errorCode: 'text_too_long' }],
    [
      'an alt text that is too long',
      { media: [aFile('med_1', 'image', png(), { altText: 'x'.repeat(1001) })] },
      { errorCode: 'alt_text_too_long' },
    ],
    [
      'a file of another type',
      { media: [aFile('med_1', 'video', mp4(), { mimeType: 'video/x-matroska' })] },
      { errorCode: 'media_unfit' },
    ],
    [
      'a video that cannot be processed',
      { media: [aFile('med_1', 'video', brokenMp4())] },
      { errorCode: 'media_unfit' },
    ],
    ['no text', { text: '' }, { errorCode: 'platform_rejected' }],
  ])('%s is the end of its post', async (_, more, expected) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    const outcome = await publish(sandbox, { ...input, ...more })
    expect(outcome).toMatchObject({ outcome: 'permanent', ...expected })
    expect(await sandbox.live()).toEqual([])
  })

  test('the same text again is refused as a duplicate', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await publish(sandbox, input)
    expect(await publish(sandbox, input)).toMatchObject({
      outcome: 'permanent',
      errorCode: 'duplicate',
    })
    expect((await sandbox.live()).length).toBe(1)
  })

  test('after a crash behind any step, nothing is sent twice', async () => {
    await using sandbox = await testSandbox()
    const files = [aFile('med_1', 'gif', gif(5, 6, MB + 5), { altText: 'A boat' })]
    const { input } = await arrange(sandbox, files)
    const kept: Record<string, unknown>[] = []
    for (let crashes = 0; ; crashes++) {
      const prepared = await x
        .prepare({
          ...input,
          step: kept.at(-1) ?? {},
          onStep: async (step) => {
            kept.push(structuredClone(step))
            await sandbox.advance(2)
            throw new Error('crash')
          },
        })
        .catch(() => undefined)
      if (!prepared) continue
      expect(crashes).toBe(kept.length)
      if (prepared.outcome !== 'ready') throw new Error(prepared.message)
      expect(await x.commit({ ...input, step: prepared.step })).toMatchObject({
        outcome: 'published',
      })
      break
    }
    // The beginning, two parts, the end, the alt text.
    expect((await sandbox.uploads()).length).toBe(5)
    expect(await sandbox.live()).toMatchObject([{ media: [{ altText: 'A boat' }] }])
  })

  test('an upload that has expired when it is posted is made again', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
    const prepared = await x.prepare(input)
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    await sandbox.advance(86_400)
    const { token } = await xUser(sandbox, 'ada')
    const late = { ...input, token, step: prepared.step }
    expect(await x.commit(late)).toMatchObject({ outcome: 'unprepared' })
    expect(await publish(sandbox, { ...input, token })).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toHaveLength(1)
  })

  test('an upload that has expired is begun again', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, [aFile('med_1', 'video', mp4({ length: MB + 7 }))])
    let step: Record<string, unknown> = {}
    await x
      .prepare({
        ...input,
        onStep: async (done) => {
          step = structuredClone(done)
          throw new Error('crash')
        },
      })
      .catch(() => undefined)
    await sandbox.advance(86_400)
    const { token } = await xUser(sandbox, 'ada')
    const onStep = async (done: Record<string, unknown>) => void (step = structuredClone(done))
    const early = await x.prepare({ ...input, token, step, onStep })
    expect([early.outcome, step]).toEqual(['transient', { uploads: {} }])
    expect(await publish(sandbox, { ...input, token }, step)).toMatchObject({
      outcome: 'published',
    })
  })
})

describe('a call to X that meets a fault', () => {
  const cases: [string, string, number][] = [
    ['drop_before', 'unknown', 0],
    ['drop_after', 'unknown', 1],
    ['error_before', 'unknown', 0],
    ['error_after', 'unknown', 1],
    ['malformed', 'unknown', 1],
    ['slow', 'published', 1],
    ['rate_limit', 'rate_limited', 0],
    ['auth_expired', 'reauth', 0],
  ]
  test.each(cases)('%s has the outcome %s', async (kind, outcome, count) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await sandbox.fault({ platform: 'X', kind, times: 1 })
    expect(await publish(sandbox, input)).toMatchObject({ outcome })
    expect((await sandbox.live()).length).toBe(count)
    const looked = await x.lookUp(
      lookUpInput({ ...input, token: (await xUser(sandbox, 'ada')).token }),
    )
    expect(looked).toMatchObject(
      count === 1 ? { found: { url: (await sandbox.live())[0].url } } : { absent: true },
    )
  })

  test('hang_after has an unknown outcome when the time is over', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await sandbox.fault({ platform: 'X', kind: 'hang_after', times: 1 })
    const signal = AbortSignal.timeout(300)
    expect(await x.commit({ ...input, signal, step: {} })).toMatchObject({ outcome: 'unknown' })
    expect(await x.lookUp(lookUpInput(input))).toHaveProperty('found')
  })

  test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
    '%s while a file is sent leaves nothing live, and is tried again',
    async (kind) => {
      await using sandbox = await testSandbox()
      const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
      await sandbox.fault({ platform: 'X', kind, times: 1, on: 'media' })
      expect(await publish(sandbox, input)).toMatchObject({ outcome: 'transient' })
      expect(await sandbox.live()).toEqual([])
      expect(await publish(sandbox, input)).toMatchObject({ outcome: 'published' })
    },
  )

  test('a wait that X asks for ends when X says', async () => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox)
    await sandbox.fault({ platform: 'X', kind: 'rate_limit', times: 1 })
    const before = Date.now()
    const outcome = await publish(sandbox, input)
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    expect(outcome.retryAt).toBeGreaterThan(before)
    expect(outcome.retryAt).toBeLessThan(Date.now() + 3000)
  })

  test.each(['Look https://example.com/a & more', ''])(
    'the post with the text "%s" and a picture is found by its picture',
    async (text) => {
      await using sandbox = await testSandbox()
      const arranged = await arrange(sandbox, [aFile('med_1', 'image', png())])
      const input = { ...arranged.input, text }
      const prepared = await x.prepare(input)
      if (prepared.outcome !== 'ready') throw new Error(prepared.message)
      const { step } = prepared
      expect(await x.lookUp(lookUpInput(input, step))).toEqual({ absent: true })
      await sandbox.fault({ platform: 'X', kind: 'drop_after', times: 1 })
      expect(await x.commit({ ...input, step })).toMatchObject({ outcome: 'unknown' })
      const [live] = await sandbox.live()
      expect(await x.lookUp(lookUpInput(input, step))).toMatchObject({
        found: { platformPostId: live.id },
      })
    },
  )
})
