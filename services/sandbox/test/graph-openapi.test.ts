import { describe, expect, test } from 'vitest'
import { graphUser } from './graph-user.ts'
import { hostedFiles } from './hosted-files.ts'
import { jpeg, mp4 } from './media-bytes.ts'
import { NO_DESCRIPTIONS, readDescription } from './graph-description.ts'
import { testSandbox } from './sandbox.ts'

describe.skipIf(NO_DESCRIPTIONS)(`what Meta's platforms answer is as others describe it`, () => {
  test('Threads: a profile and a post', async () => {
    await using sandbox = await testSandbox()
    const { problems, paths } = readDescription('threads')
    const { ask } = await graphUser(sandbox, 'THREADS', '/threads/v1.0')
    const { id } = (await ask('POST', '/me/threads', { media_type: 'TEXT', text: 'Hi' })).body
    const post = await ask('POST', '/me/threads_publish', { creation_id: id })
    expect(paths).toContain('/v1.0/me/threads')
    const profile = await ask('GET', '/me?fields=id,username,name,threads_biography')
    expect(problems('UserProfile', profile.body)).toEqual([])
    const fields = 'id,permalink,owner,username,text,timestamp,shortcode,is_quote_post,has_replies'
    const { body } = await ask('GET', `/${post.body.id}?fields=${fields}`)
    expect(Object.keys(body).length).toBe(9)
    expect(problems('Thread', body)).toEqual([])
  })

  test('Instagram: an account and a post', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { problems, paths } = readDescription('instagram')
    const { ask } = await graphUser(sandbox, 'INSTAGRAM', '/instagram/v25.0')
    const image_url = files.host('a', jpeg(400, 300), 'image/jpeg')
    const { id } = (await ask('POST', '/me/media', { image_url, caption: 'Hi' })).body
    const post = await ask('POST', '/me/media_publish', { creation_id: id })
    expect(paths).toEqual(
      expect.arrayContaining([
        '/{user-id}/media',
        '/{user-id}/media_publish',
        '/{user-id}/stories',
        '/{user-id}/content_publishing_limit',
      ]),
    )
    const account = await ask('GET', '/me?fields=id,username,name,account_type,media_count')
    expect(problems('User', account.body)).toEqual([])
    const fields =
      'id,media_type,media_url,permalink,caption,timestamp,like_count,comments_count,username,owner'
    const { body } = await ask('GET', `/${post.body.id}?fields=${fields}`)
    expect(Object.keys(body).length).toBe(10)
    expect(problems('Media', body)).toEqual([])
  })

  test('Facebook: a Page, a post and a video', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { problems, paths } = readDescription('facebook')
    const { ask } = await graphUser(sandbox, 'FACEBOOK', '/facebook/v25.0')
    expect(paths).toEqual(
      expect.arrayContaining([
        '/me/accounts',
        '/{page-id}/feed',
        '/{page-id}/photos',
        '/{page-id}/videos',
        '/{page-id}/video_reels',
      ]),
    )
    const page = await ask('GET', '/me?fields=id,name,category,picture')
    expect(problems('Page', page.body)).toEqual([])
    const posted = await ask('POST', '/me/feed', { message: 'Hi', link: 'https://a.example' })
    const postFields = 'id,message,created_time,from,permalink_url,attachments'
    const post = await ask('GET', `/${posted.body.id}?fields=${postFields}`)
    expect(Object.keys(post.body).length).toBe(6)
    expect(problems('Post', post.body)).toEqual([])
    const file_url = files.host('a', mp4(), 'video/mp4')
    const made = await ask('POST', '/me/videos', { file_url, description: 'Hi', title: 'Boats' })
    const videoFields = 'id,title,description,created_time,permalink_url'
    const video = await ask('GET', `/${made.body.id}?fields=${videoFields}`)
    expect(Object.keys(video.body).length).toBe(5)
    expect(problems('Video', video.body)).toEqual([])
  })
})
