import { expect, test } from 'vitest'
import type { PostChannelRow, PostRow } from './schema.ts'
import { toPost } from './view.ts'

const row: PostRow = {
  id: 'post_1',
  organization_id: 'org_1',
  version: 1,
  status: 'scheduled',
  content: 'Bread',
  options: { reddit: { subreddit: 'Breadit', title: 'Bread of today', nsfw: false } },
  media: [],
  scheduled_at: '2026-12-01T07:00:00.000Z',
  published_at: null,
  created_at: '2026-11-21T07:00:00.000Z',
  source: 'api',
}

const channelOf = (channel_id: string, platform: 'REDDIT' | 'MASTODON'): PostChannelRow => ({
  post_id: 'post_1',
  organization_id: 'org_1',
  channel_id,
  position: 0,
  platform,
  status: 'draft',
  content: 'Bread',
  platform_post_id: null,
  url: null,
  published_at: null,
  error: null,
  error_code: null,
  retryable: null,
  attempts: 0,
  next_attempt_at: null,
  lateness_ms: null,
})
const channels = [channelOf('reddit', 'REDDIT'), channelOf('mastodon', 'MASTODON')]

test('a post to Reddit shows the subreddit and the title, to those who see its Reddit channel', () => {
  const reddit = { subreddit: 'Breadit', title: 'Bread of today' }
  expect(toPost(row, channels, 'all').reddit).toEqual(reddit)
  expect(toPost(row, channels, ['reddit']).reddit).toEqual(reddit)
  expect(toPost(row, channels, ['mastodon']).reddit).toBeNull()
})

test.each([[{}], [{ reddit: {} }], [{ reddit: { title: 'Only a title' } }]])(
  'a post with the options %j shows nothing of Reddit',
  (options) => {
    expect(toPost({ ...row, options }, channels, 'all').reddit).toBeNull()
  },
)
