import { describe, expect, test } from 'vitest'
import { codesOf, graphUser } from './graph-user.ts'
import { hostedFiles } from './hosted-files.ts'
import { jpeg, mp4, png } from './media-bytes.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const user = (sandbox: TestSandbox) => graphUser(sandbox, 'INSTAGRAM', '/instagram/v25.0')

describe('a container is refused', () => {
  test.each<[string, Record<string, string>, (number | undefined)[]]>([
    ['without a file', { caption: 'x' }, [400, 100, undefined]],
    ['of another type', { media_type: 'TEXT' }, [400, 100, undefined]],
    [
      'for a single feed video',
      { media_type: 'VIDEO', video_url: 'https://a' },
      [400, 100, 2207067],
    ],
    ['for 2,201 characters', { caption: 'x'.repeat(2201) }, [400, 36004, 2207010]],
    ['for 31 hashtags', { caption: '#ä '.repeat(31) }, [400, 36004, 2207010]],
    ['for 21 mentions', { caption: '@a.b '.repeat(21) }, [400, 36004, 2207010]],
    ['for a carousel of one', { media_type: 'CAROUSEL', children: '1' }, [400, 100, 2207028]],
    [
      'for eleven children',
      { media_type: 'CAROUSEL', children: '1,'.repeat(11) },
      [400, 100, 2207028],
    ],
    ['for unknown children', { media_type: 'CAROUSEL', children: '1,2' }, [400, 100, undefined]],
    [
      'for a cover that is no number',
      { media_type: 'REELS', video_url: 'https://a', thumb_offset: 'x' },
      [400, 1, 2207057],
    ],
  ])('%s', async (_, body, codes) => {
    await using sandbox = await testSandbox()
    const { ask } = await user(sandbox)
    expect(codesOf(await ask('POST', '/me/media', body))).toEqual(codes)
  })

  test.each<[string, Buffer | undefined, number[]]>([
    ['whose picture is not there', undefined, [400, 9004, 2207052]],
    ['whose picture is a PNG', png(40, 30), [400, 36001, 2207005]],
    ['whose picture is narrower than 4 to 5', jpeg(399, 500), [400, 36003, 2207009]],
    ['whose picture is wider than 1.91 to 1', jpeg(192, 100), [400, 36003, 2207009]],
    ['whose picture has more than 8 MiB', jpeg(4, 3, 8_388_609), [400, 36000, 2207004]],
  ])('%s', async (_, bytes, codes) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', bytes ?? png(), 'image/jpeg')
    if (!bytes) files.remove('a')
    expect(codesOf(await ask('POST', '/me/media', { image_url: url }))).toEqual(codes)
  })
})

describe('a container', () => {
  test('of a reel is worked on, finished, published once, and told as such', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { account, ask } = await user(sandbox)
    const url = files.host('a', mp4(), 'video/mp4')
    const body = { media_type: 'REELS', video_url: url, caption: 'A boat' }
    const { id } = (await ask('POST', `/${account}/media`, body)).body
    const state = async () => (await ask('GET', `/${id}?fields=status_code`)).body.status_code
    const publish = () => ask('POST', `/${account}/media_publish?creation_id=${id}`)
    expect(await state()).toBe('IN_PROGRESS')
    expect(codesOf(await publish())).toEqual([400, 9007, 2207027])
    await sandbox.advance(2)
    expect(await state()).toBe('FINISHED')
    const post = await publish()
    expect(post.body).toEqual({ id: expect.stringMatching(/^\d{17}$/) })
    expect(await state()).toBe('PUBLISHED')
    expect(codesOf(await publish())).toEqual([400, 24, 2207008])
    const fields = 'id,caption,media_type,media_product_type,permalink,timestamp'
    expect((await ask('GET', `/me/media?fields=${fields}`)).body.data).toEqual([
      {
        id: post.body.id,
        caption: 'A boat',
        media_type: 'VIDEO',
        media_product_type: 'REELS',
        permalink: expect.stringContaining('/reel/'),
        timestamp: '2026-11-21T12:00:02+0000',
      },
    ])
    const limit = await ask('GET', '/me/content_publishing_limit?fields=quota_usage,config')
    expect(limit.body.data).toEqual([
      { quota_usage: 1, config: { quota_total: 50, quota_duration: 86_400 } },
    ])
  })

  test.each<[string, Buffer | undefined, string]>([
    ['whose video is not there', undefined, '2207052'],
    ['whose video is none', Buffer.from('text'), '2207026'],
  ])('%s fails when it is processed', async (_, bytes, subcode) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', bytes ?? mp4(), 'video/mp4')
    if (!bytes) files.remove('a')
    const { id } = (await ask('POST', '/me/media', { media_type: 'REELS', video_url: url })).body
    await sandbox.advance(2)
    expect((await ask('GET', `/${id}?fields=status_code,status`)).body).toEqual({
      id,
      status_code: 'ERROR',
      status: `Error: Media upload has failed with error code ${subcode}`,
    })
    expect(codesOf(await ask('POST', '/me/media_publish', { creation_id: id }))).toEqual([
      400, 9007, 2207027,
    ])
  })

  test('expires after a day', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const image_url = files.host('a', jpeg(400, 300), 'image/jpeg')
    const { id } = (await ask('POST', '/me/media', { image_url })).body
    await sandbox.advance(86_400)
    expect((await ask('GET', `/${id}?fields=status_code`)).body.status_code).toBe('EXPIRED')
    expect(codesOf(await ask('POST', '/me/media_publish', { creation_id: id }))).toEqual([
      400, 24, 2207008,
    ])
  })

  test('of a carousel item is not published by itself', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const image_url = files.host('a', jpeg(400, 300), 'image/jpeg')
    const body = { image_url, is_carousel_item: 'true' }
    const { id } = (await ask('POST', '/me/media', body)).body
    expect(codesOf(await ask('POST', '/me/media_publish', { creation_id: id }))).toEqual([
      400, 24, 2207008,
    ])
    expect(await sandbox.live()).toEqual([])
  })
})

test('a story is listed for a day, and never among the posts', async () => {
  await using sandbox = await testSandbox()
  await using files = await hostedFiles()
  const { ask } = await user(sandbox)
  const image_url = files.host('a', jpeg(90, 160), 'image/jpeg')
  const { id } = (await ask('POST', '/me/media', { media_type: 'STORIES', image_url })).body
  await ask('POST', '/me/media_publish', { creation_id: id })
  const listed = async (edge: string) => (await ask('GET', `/me/${edge}`)).body.data.length
  expect([await listed('media'), await listed('stories')]).toEqual([0, 1])
  await sandbox.advance(86_400)
  expect([await listed('media'), await listed('stories')]).toEqual([0, 0])
})

test('an account is known by two ids, and what is known of it is given when it is asked for', async () => {
  await using sandbox = await testSandbox()
  const { account, ask } = await user(sandbox)
  const { body } = await ask('GET', '/me?fields=user_id,username,account_type')
  expect(body).toEqual({
    id: expect.not.stringMatching(account),
    user_id: account,
    username: 'ada',
    account_type: 'BUSINESS',
  })
  expect(codesOf(await ask('GET', '/me?fields=password'))).toEqual([400, 100, undefined])
  await sandbox.fault({ platform: 'INSTAGRAM', kind: 'rate_limit', times: 1, on: 'read' })
  expect(codesOf(await ask('GET', '/me'))).toEqual([400, 80002, undefined])
})
