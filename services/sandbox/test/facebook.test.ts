import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codesOf, graphUser } from './graph-user.ts'
import { hostedFiles } from './hosted-files.ts'
import { gif, jpeg, mp4, png } from './media-bytes.ts'
import { type Json, testSandbox, type TestSandbox } from './sandbox.ts'

const user = (sandbox: TestSandbox) => graphUser(sandbox, 'FACEBOOK', '/facebook')

describe('a post is refused', () => {
  test.each<[string, Record<string, unknown>, (number | undefined)[]]>([
    ['without anything', {}, [400, 100, undefined]],
    ['for a blank text', { message: ' ' }, [400, 100, undefined]],
    ['for 63,207 characters', { message: 'x'.repeat(63_207) }, [400, 100, undefined]],
    ['for a link that is none', { link: 'boat' }, [400, 100, 1609005]],
    [
      'for pictures that are not there',
      { attached_media: [{ media_fbid: '1' }] },
      [400, 100, undefined],
    ],
    ['for pictures that are not a list', { attached_media: 'x' }, [400, 100, undefined]],
  ])('%s', async (_, body, codes) => {
    await using sandbox = await testSandbox()
    const { ask } = await user(sandbox)
    expect(codesOf(await ask('POST', '/v25.0/me/feed', body))).toEqual(codes)
    expect(await sandbox.live()).toEqual([])
  })

  test('as a repeat of the one before, and not of an earlier one', async () => {
    await using sandbox = await testSandbox()
    const { account, ask } = await user(sandbox)
    const post = (message: string) => ask('POST', `/v25.0/${account}/feed`, { message })
    expect((await post('One')).status).toBe(200)
    expect(codesOf(await post('One'))).toEqual([400, 506, 1455006])
    expect((await post('Two')).status).toBe(200)
    expect((await post('One')).status).toBe(200)
    expect((await sandbox.requests()).map(({ applied }: Json) => applied)).toEqual([
      true,
      false,
      true,
      true,
    ])
  })
})

describe('a picture', () => {
  test('that is not published is seen by nobody until a post has it, and only one can', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', jpeg(40, 30), 'image/jpeg')
    const { id } = (await ask('POST', '/v25.0/me/photos', { url, published: 'false' })).body
    expect(await sandbox.live()).toEqual([])
    expect(await sandbox.requests()).toEqual([])
    const attach = () =>
      ask('POST', '/v25.0/me/feed?fields=id,attachments', {
        'attached_media[0]': `{"media_fbid":"${id}"}`,
      })
    const post = await attach()
    expect(post.body).toMatchObject({ attachments: { data: [{ target: { id } }] } })
    expect(await sandbox.live()).toMatchObject([{ id: post.body.id, media: [{ width: 40 }] }])
    expect(codesOf(await attach())).toEqual([400, 100, undefined])
  })

  test('that is published is a post at once', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', gif(40, 30), 'image/gif')
    const { body } = await ask('POST', '/v25.0/me/photos', { url, message: 'A boat' })
    expect(await sandbox.live()).toMatchObject([{ id: body.post_id, text: 'A boat' }])
    expect(await sandbox.requests()).toMatchObject([{ applied: true, postId: body.post_id }])
  })

  test.each<[string, Buffer | undefined, number[]]>([
    ['that is not there', undefined, [400, 324, 2069019]],
    ['of more than 4 MiB', png(4, 3, 4_194_305), [400, 100, 1366046]],
    ['that is none', Buffer.from('text'), [400, 100, 1366046]],
  ])('%s is refused', async (_, bytes, codes) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', bytes ?? png(), 'image/png')
    if (!bytes) files.remove('a')
    expect(codesOf(await ask('POST', '/v25.0/me/photos', { url }))).toEqual(codes)
  })
})

describe('a reel', () => {
  async function begin(sandbox: TestSandbox, bytes = mp4({ width: 540, height: 960 })) {
    const files = await hostedFiles()
    const { ask, token, account } = await user(sandbox)
    const started = await ask('POST', '/v25.0/me/video_reels', { upload_phase: 'start' })
    const { video_id: id, upload_url: uploadUrl } = started.body
    const status = async () => (await ask('GET', `/v25.0/${id}?fields=status`)).body.status
    const upload = async () => {
      const headers = {
        authorization: `OAuth ${token}`,
        file_url: files.host('a', bytes, 'video/mp4'),
      }
      return await fetch(uploadUrl, { method: 'POST', headers })
    }
    const finish = () =>
      ask('POST', `/v25.0/${account}/video_reels`, {
        upload_phase: 'finish',
        video_id: id,
        video_state: 'PUBLISHED',
        description: 'Boats',
      })
    return { id, status, upload, finish, [Symbol.asyncDispose]: files[Symbol.asyncDispose] }
  }

  test('is begun, fetched, finished, processed, and then live', async () => {
    await using sandbox = await testSandbox()
    await using reel = await begin(sandbox)
    expect(await reel.status()).toMatchObject({ video_status: 'uploading' })
    expect(codesOf(await reel.finish())).toEqual([400, 6000, 1363130])
    expect(await (await reel.upload()).json()).toEqual({ success: true })
    expect(await reel.status()).toMatchObject({
      video_status: 'upload_complete',
      uploading_phase: { status: 'complete' },
      publishing_phase: { status: 'not_started' },
    })
    expect((await reel.finish()).body).toMatchObject({ success: true })
    expect(await reel.status()).toMatchObject({ video_status: 'processing' })
    expect(await sandbox.live()).toEqual([])
    expect(codesOf(await reel.finish())).toEqual([400, 100, undefined])
    await sandbox.advance(2)
    expect(await reel.status()).toMatchObject({
      video_status: 'ready',
      publishing_phase: { status: 'complete', publish_status: 'published' },
    })
    expect(await sandbox.live()).toMatchObject([{ id: reel.id, text: 'Boats' }])
    expect((await sandbox.requests()).map(({ key, applied }: Json) => [key, applied])).toEqual([
      [reel.id, false],
      [reel.id, true],
      [reel.id, false],
    ])
    expect((await sandbox.uploads()).length).toBe(2)
  })

  test('that is not upright fails when it is processed', async () => {
    await using sandbox = await testSandbox()
    await using reel = await begin(sandbox, mp4({ width: 960, height: 540 }))
    await reel.upload()
    await reel.finish()
    await sandbox.advance(2)
    expect(await reel.status()).toMatchObject({
      video_status: 'error',
      processing_phase: {
        status: 'error',
        errors: [{ message: expect.stringContaining('9 to 16') }],
      },
    })
    expect(await sandbox.live()).toEqual([])
  })
})

describe('a token', () => {
  test('of a Page is no token of another Page', async () => {
    await using sandbox = await testSandbox()
    const { ask } = await user(sandbox)
    const other = await sandbox.account('FACEBOOK', 'eve')
    expect(codesOf(await ask('POST', `/v25.0/${other.account}/feed`, { message: 'x' }))).toEqual([
      400, 100, 33,
    ])
  })

  test('of nobody is refused everywhere', async () => {
    await using sandbox = await testSandbox()
    await user(sandbox)
    for (const path of ['me', 'me/accounts', 'me/feed', 'me/videos', '123']) {
      const answer = await sandbox.ask('GET', `/facebook/v25.0/${path}`, { token: 'x' })
      expect(codesOf(answer)).toEqual([401, 190, undefined])
    }
  })
})

test('what is on a Page outlives a restart', async ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'herald-sandbox-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = { SANDBOX_DATA_DIR: folder }
  const before = await testSandbox(env)
  const { account, token, ask } = await user(before)
  await ask('POST', '/v25.0/me/feed', { message: 'One' })
  await before.close()
  await using after = await testSandbox(env)
  expect(await after.live()).toMatchObject([{ account, text: 'One' }])
  const repeat = await after.ask('POST', '/facebook/v25.0/me/feed', {
    token,
    body: { message: 'One' },
  })
  expect(codesOf(repeat)).toEqual([400, 506, 1455006])
})
