import { describe, expect, test } from 'vitest'
import { fileHost } from './file-host.ts'
import { jpeg } from './jpeg.ts'
import { mp4, png } from './media-bytes.ts'
import { sha256 } from './publish-file.ts'
import { request, testSandbox } from './sandbox.ts'
import { INFO, MB, tiktokUser } from './tiktok.ts'

const VIDEO = mp4({ length: 12 * MB + 5 })
const TOTAL = VIDEO.length
const FIRST = `bytes 0-${5 * MB - 1}/${TOTAL}`
const LAST = `bytes ${5 * MB}-${TOTAL - 1}/${TOTAL}`

async function begun() {
  const sandbox = await testSandbox()
  const user = await tiktokUser(sandbox, 'ada')
  const { data } = (await user.initVideo(TOTAL, 5 * MB, 2)).body
  const { publish_id: publishId, upload_url: uploadUrl } = data
  return { sandbox, user, publishId, uploadUrl, [Symbol.asyncDispose]: () => sandbox.close() }
}

describe('an upload', () => {
  test('is a post some time after its last chunk, and gets its id after that', async () => {
    await using upload = await begun()
    const { sandbox, user, publishId, uploadUrl } = upload
    expect(await user.status(publishId)).toMatchObject({
      status: 'PROCESSING_UPLOAD',
      uploaded_bytes: 0,
    })
    const first = await user.put(uploadUrl, FIRST, VIDEO.subarray(0, 5 * MB))
    expect([first.status, first.headers.get('content-range')]).toEqual([206, FIRST])
    expect(await user.status(publishId)).toMatchObject({ uploaded_bytes: 5 * MB })
    expect((await user.put(uploadUrl, LAST, VIDEO.subarray(5 * MB))).status).toBe(201)
    expect(await user.status(publishId)).toMatchObject({
      status: 'PROCESSING_UPLOAD',
      uploaded_bytes: TOTAL,
    })
    expect(await sandbox.live()).toEqual([])
    await sandbox.advance(1.5)
    expect(await user.status(publishId)).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    })
    await sandbox.advance(1)
    const [live] = await sandbox.live()
    expect(live).toMatchObject({ text: 'A boat', media: [{ sha256: sha256(VIDEO), width: 640 }] })
    const text = await (
      await fetch(`${sandbox.url}/tiktok/v2/post/publish/status/fetch/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ publish_id: publishId }),
      })
    ).text()
    expect(text).toContain(`"publicaly_available_post_id":[${live.id}]`)
    expect(live.id).toMatch(/^\d{19}$/)
    expect((await request('GET', live.url, {})).status).toBe(200)
    expect(await sandbox.uploads()).toMatchObject([{ sizeBytes: 5 * MB, applied: true }])
    expect(await sandbox.requests()).toMatchObject([{ applied: true, key: publishId, status: 201 }])
  })

  test.each([
    ['out of turn', LAST, VIDEO.subarray(5 * MB), 'video/mp4', 416],
    ['of another length than it says', FIRST, VIDEO.subarray(0, MB), 'video/mp4', 416],
    [
      'of another length than was announced',
      `bytes 0-${6 * MB - 1}/${TOTAL}`,
      VIDEO.subarray(0, 6 * MB),
      'video/mp4',
      416,
    ],
    [
      'of another video',
      `bytes 0-${5 * MB - 1}/${TOTAL + 1}`,
      VIDEO.subarray(0, 5 * MB),
      'video/mp4',
      416,
    ],
    ['of no video', FIRST, VIDEO.subarray(0, 5 * MB), 'image/png', 400],
    ['without a range', 'bytes', VIDEO.subarray(0, 5 * MB), 'video/mp4', 400],
  ])('refuses a chunk %s', async (_, range, bytes, type, status) => {
    await using upload = await begun()
    expect((await upload.user.put(upload.uploadUrl, range, bytes, type)).status).toBe(status)
    expect(await upload.user.status(upload.publishId)).toMatchObject({ uploaded_bytes: 0 })
  })

  test('takes a chunk once, for an hour, at its own address', async () => {
    await using upload = await begun()
    const { sandbox, user, uploadUrl } = upload
    const put = (url: string) => user.put(url, FIRST, VIDEO.subarray(0, 5 * MB))
    expect((await put(uploadUrl.replace(/upload_token=./, 'upload_token='))).status).toBe(404)
    expect((await put(uploadUrl)).status).toBe(206)
    expect((await put(uploadUrl)).status).toBe(416)
    await sandbox.advance(3600)
    expect((await user.put(uploadUrl, LAST, VIDEO.subarray(5 * MB))).status).toBe(403)
  })

  test.each([
    [5 * MB - 1, 5 * MB - 1, 1, 200],
    [TOTAL, 5 * MB, 2, 200],
    [TOTAL, 5 * MB, 3, 400],
    [TOTAL, 5 * MB - 1, 2, 400],
    [TOTAL, TOTAL, 1, 200],
    [200_000_000, 200_000_000, 1, 400],
    [200_000_000, 64_000_000, 3, 200],
    [200_000_000, 65_000_000, 3, 400],
    [4 * 1024 * MB + 1, 64_000_000, 67, 400],
  ])(
    'of %i bytes in chunks of %i, %i of them, is answered with %i',
    async (size, chunk, count, status) => {
      await using sandbox = await testSandbox()
      const user = await tiktokUser(sandbox)
      expect((await user.initVideo(size, chunk, count)).status).toBe(status)
    },
  )

  test.each([
    ['what is no video', png(), 'file_format_check_failed'],
    ['a broken video', Buffer.from('....ftypisom'), 'file_format_check_failed'],
    ['a video that is too small', mp4({ width: 300 }), 'picture_size_check_failed'],
  ])('of %s fails', async (_, bytes, reason) => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    const publishId = await user.post(bytes)
    await sandbox.advance(2)
    expect(await user.status(publishId)).toMatchObject({ status: 'FAILED', fail_reason: reason })
    expect(await sandbox.live()).toEqual([])
  })

  test('fails on command', async () => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    const publishId = await user.post(mp4(), { ...INFO, title: '#sandbox-fail:spam_risk' })
    await sandbox.advance(2)
    expect(await user.status(publishId)).toMatchObject({
      status: 'FAILED',
      fail_reason: 'spam_risk',
    })
  })
})

describe('photos', () => {
  test('are fetched from where they are, and posted', async () => {
    await using sandbox = await testSandbox()
    await using host = await fileHost({ '/1': jpeg(1080, 1920), '/2': jpeg(40, 30, 99) })
    const user = await tiktokUser(sandbox)
    const info = { ...INFO, title: 'Boats', description: 'On the sea' }
    const { body } = await user.initPhotos([`${host.url}/1`, `${host.url}/2`], info)
    expect(body).toMatchObject({ data: { publish_id: expect.any(String) }, error: { code: 'ok' } })
    expect(await user.status(body.data.publish_id)).toMatchObject({ status: 'PROCESSING_DOWNLOAD' })
    await sandbox.advance(3)
    expect(await user.status(body.data.publish_id)).toMatchObject({ status: 'PUBLISH_COMPLETE' })
    expect(host.asked).toEqual(['/1', '/2'])
    expect(await sandbox.live()).toMatchObject([
      {
        title: 'Boats',
        text: 'On the sea',
        media: [{ width: 1080, height: 1920 }, { sha256: sha256(jpeg(40, 30, 99)) }],
      },
    ])
    const list = await user.ask('/video/list/?fields=id,title,video_description,create_time', {})
    const [live] = await sandbox.live()
    expect(list.body.data.videos).toEqual([
      {
        id: live.id,
        title: 'Boats',
        video_description: 'On the sea',
        create_time: expect.any(Number),
      },
    ])
  })

  test.each([
    ['are not there', '/none', 'photo_pull_failed'],
    ['are PNG', '/png', 'file_format_check_failed'],
    ['are larger than 1080p', '/large', 'picture_size_check_failed'],
  ])('fail when they %s', async (_, path, reason) => {
    await using sandbox = await testSandbox()
    await using host = await fileHost({ '/png': png(), '/large': jpeg(1081, 1081) })
    const user = await tiktokUser(sandbox)
    const { data } = (await user.initPhotos([`${host.url}${path}`])).body
    await sandbox.advance(2)
    expect(await user.status(data.publish_id)).toMatchObject({
      status: 'FAILED',
      fail_reason: reason,
    })
    expect(await sandbox.live()).toEqual([])
    expect(await sandbox.requests()).toMatchObject([{ applied: false }])
  })

  test.each([
    [['https://unverified.example/1'], INFO, 403, 'url_ownership_unverified'],
    [['nonsense'], INFO, 400, 'invalid_params'],
    [[], INFO, 400, 'invalid_params'],
    [Array<string>(36).fill('https://a.example/'), INFO, 400, 'invalid_params'],
    [['https://a.example/'], { ...INFO, title: 'x'.repeat(91) }, 400, 'invalid_params'],
    [['https://a.example/'], { ...INFO, description: 'x'.repeat(4001) }, 400, 'invalid_params'],
  ])('at %j with %j are refused', async (urls, info, status, code) => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    expect(await user.initPhotos(urls, info)).toMatchObject({ status, body: { error: { code } } })
  })
})

describe('a post', () => {
  test.each([
    ['without a privacy level', { title: 'x' }, 400, 'invalid_params'],
    [
      'with a level that the creator cannot choose',
      { ...INFO, privacy_level: 'FOLLOWER_OF_CREATOR' },
      403,
      'privacy_level_option_mismatch',
    ],
    [
      'with a title of 2,201 units',
      { ...INFO, title: '🎉'.repeat(1100) + 'x' },
      400,
      'invalid_params',
    ],
    [
      'for a brand, and for nobody',
      { ...INFO, privacy_level: 'SELF_ONLY', brand_content_toggle: true },
      400,
      'invalid_params',
    ],
  ])('%s is refused', async (_, info, status, code) => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    expect(await user.initVideo(100, 100, 1, info)).toMatchObject({
      status,
      body: { error: { code } },
    })
  })

  test('with a title of 2,200 units is taken', async () => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    expect((await user.initVideo(100, 100, 1, { ...INFO, title: '🎉'.repeat(1100) })).status).toBe(
      200,
    )
  })

  test('for the creator alone has no id and is in no list', async () => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    const publishId = await user.post(mp4(), { ...INFO, privacy_level: 'SELF_ONLY' })
    await sandbox.advance(60)
    expect(await user.status(publishId)).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    })
    expect((await user.ask('/video/list/?fields=id')).body.data.videos).toEqual([])
    expect((await sandbox.live()).length).toBe(1)
  })

  test('of another creator is unknown', async () => {
    await using sandbox = await testSandbox()
    const [user, other] = [await tiktokUser(sandbox), await tiktokUser(sandbox)]
    const publish_id = await user.post(mp4())
    expect(await other.ask('/post/publish/status/fetch/', { publish_id })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_publish_id' } },
    })
  })

  test('can be begun six times a minute, and made fifteen times a day', async () => {
    await using sandbox = await testSandbox()
    const user = await tiktokUser(sandbox)
    for (let post = 0; post < 15; post += 1) {
      await user.post(mp4())
      if (post === 5)
        expect(await user.initVideo(100)).toMatchObject({
          status: 429,
          body: { error: { code: 'rate_limit_exceeded' } },
        })
      if (post % 6 === 5) await sandbox.advance(60)
    }
    await sandbox.advance(60)
    for (const path of ['creator_info/query/', 'video/init/']) {
      const body = {
        post_info: INFO,
        source_info: { source: 'FILE_UPLOAD', video_size: 9, chunk_size: 9, total_chunk_count: 1 },
      }
      expect(await user.ask(`/post/publish/${path}`, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'spam_risk_too_many_posts' } },
      })
    }
  })
})

test('a creator is told by its name, and paths have a slash at their end', async () => {
  await using sandbox = await testSandbox()
  const creatorOf = async (name: string) =>
    (await (await tiktokUser(sandbox, name)).ask('/post/publish/creator_info/query/')).body.data
  expect(await creatorOf('ada')).toMatchObject({
    creator_username: 'ada',
    privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    comment_disabled: false,
    max_video_post_duration_sec: 600,
  })
  expect(await creatorOf('privateada')).toMatchObject({
    privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  })
  expect(await creatorOf('quietshort')).toMatchObject({
    comment_disabled: true,
    max_video_post_duration_sec: 60,
  })
  const user = await tiktokUser(sandbox, 'ada')
  expect((await user.ask('/post/publish/creator_info/query')).status).toBe(404)
})

test('a call without a good token is refused', async () => {
  await using sandbox = await testSandbox()
  const refused = await sandbox.ask('POST', '/tiktok/v2/post/publish/creator_info/query/', {
    token: 'x',
    body: {},
  })
  expect(refused).toMatchObject({ status: 401, body: { error: { code: 'access_token_invalid' } } })
})
