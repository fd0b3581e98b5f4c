import type { ChannelForPosting } from '@herald/contracts/channels'
import type { ChannelResult } from '@herald/contracts/posts'
import { given } from '@herald/event-store/given'
import { describe, expect, test } from 'vitest'
import type { PostEvent } from './events.ts'
import { post, type PostCommand } from './post.ts'
import { exists } from './state.ts'

const NOW = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-02T12:00:00.000Z'
const MASTODON = 'chan_01mastodon'
const BLUESKY = 'chan_01bluesky'

const rules = {
  requiresMedia: false,
  requiresVideo: false,
  maxImages: 4,
  maxChars: 500,
  requiredFields: [],
}
const facts: Pick<ChannelForPosting, 'id' | 'platform' | 'rules' | 'limits'>[] = [
  { id: MASTODON, platform: 'MASTODON', rules, limits: {} },
  { id: BLUESKY, platform: 'BLUESKY', rules: { ...rules, maxChars: 300 }, limits: {} },
]

function schedulePost(change: Partial<Extract<PostCommand, { type: 'SchedulePost' }>> = {}) {
  return {
    type: 'SchedulePost',
    organizationId: 'org_1',
    source: 'api',
    actor: 'key:1',
    content: 'Hello',
    platformContent: {},
    options: {},
    media: [],
    channels: facts,
    publishAt: LATER,
    now: NOW,
    ...change,
  } satisfies PostCommand
}

const refs = [
  { channelId: MASTODON, platform: 'MASTODON' as const },
  { channelId: BLUESKY, platform: 'BLUESKY' as const },
]
const scheduled: PostEvent = {
  type: 'PostScheduled',
  organizationId: 'org_1',
  createdAt: NOW,
  source: 'api',
  actor: 'key:1',
  content: 'Hello',
  platformContent: {},
  options: {},
  media: [],
  channels: refs,
  scheduledAt: LATER,
}
const started: PostEvent = {
  type: 'PublishStarted',
  generation: 2,
  scheduledAt: LATER,
  startedAt: LATER,
  latenessMs: 3,
  channels: refs,
}
const live = (channelId: string): PostEvent => ({
  type: 'ChannelPublished',
  channelId,
  platform: channelId === MASTODON ? 'MASTODON' : 'BLUESKY',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: LATER,
  latenessMs: 5,
  attempts: 1,
})
const lost = (channelId: string): PostEvent => ({
  type: 'ChannelFailed',
  channelId,
  platform: channelId === MASTODON ? 'MASTODON' : 'BLUESKY',
  error: 'No.',
  errorCode: 'platform_rejected',
  retryable: false,
  latenessMs: 5,
  attempts: 1,
})
const published: PostEvent = { type: 'PostPublished', published: 2, failed: 0 }
const failed: PostEvent = { type: 'PostFailed', published: 0, failed: 2 }

const publishedResult: ChannelResult = {
  outcome: 'published',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: LATER,
  latenessMs: 5,
  attempts: 1,
}
const failedResult: ChannelResult = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'platform_rejected',
  retryable: false,
  attempts: 1,
  latenessMs: 5,
}
const record = (channelId: string, result: ChannelResult, generation = 2): PostCommand => ({
  type: 'RecordChannelResult',
  channelId,
  generation,
  result,
})
const edit = (changes: Extract<PostCommand, { type: 'EditPost' }>['changes']): PostCommand => ({
  type: 'EditPost',
  changes,
  channels: facts,
  now: NOW,
})
const remove: PostCommand = { type: 'RemovePost', actor: 'key:1' }

const inEachState: Record<string, PostEvent[]> = {
  scheduled: [scheduled],
  publishing: [scheduled, started],
  published: [scheduled, started, live(MASTODON), live(BLUESKY), published],
  failed: [scheduled, started, lost(MASTODON), lost(BLUESKY), failed],
  removed: [scheduled, { type: 'PostCancelled', actor: 'key:1' }],
  absent: [],
}

describe('scheduling', () => {
  test('a valid post with a publish time is scheduled for it', () => {
    expect(given(post).when(schedulePost())).toEqual([scheduled])
  })
  test('a post without a publish time is due at once', () => {
    expect(given(post).when(schedulePost({ publishAt: undefined }))).toEqual([
      { ...scheduled, scheduledAt: NOW },
    ])
  })
  test('a publish time up to 60 seconds ago counts as now', () => {
    const publishAt = '2026-03-01T11:59:00.000Z'
    expect(given(post).when(schedulePost({ publishAt }))).toEqual([
      { ...scheduled, scheduledAt: NOW },
    ])
  })
  test.each([
    ['more than 60 seconds ago', '2026-03-01T11:58:59.999Z'],
    ['more than two years ahead', '2028-03-01T12:00:00.001Z'],
  ])('a publish time %s is refused', (_, publishAt) => {
    expect(given(post).when(schedulePost({ publishAt }))).toMatchObject({
      code: 'validation_failed',
    })
  })
  test('a publish time exactly two years ahead is accepted', () => {
    const publishAt = '2028-03-01T12:00:00.000Z'
    expect(given(post).when(schedulePost({ publishAt }))).toMatchObject([
      { scheduledAt: publishAt },
    ])
  })
  test('all broken rules of all channels are reported at once, with paths', () => {
    const refused = given(post).when(schedulePost({ content: 'x'.repeat(501) }))
    expect(refused).toMatchObject({
      code: 'validation_failed',
      details: {
        violations: [
          { channelId: MASTODON, rule: 'maxChars', limit: 500, actual: 501, path: 'content' },
          { channelId: BLUESKY, rule: 'maxChars', limit: 300, actual: 501, path: 'content' },
        ],
      },
    })
  })
  test('the per-platform text is what its channels are checked against', () => {
    const platformContent = { MASTODON: 'x'.repeat(501), BLUESKY: 'short' }
    expect(given(post).when(schedulePost({ platformContent }))).toMatchObject({
      details: { violations: [{ channelId: MASTODON, path: 'platformContent.MASTODON' }] },
    })
  })
  test('an empty post without media is refused', () => {
    expect(given(post).when(schedulePost({ content: ' \u200b\n' }))).toMatchObject({
      code: 'validation_failed',
    })
  })
  test('text and options for a platform that no channel is on are refused, not dropped', () => {
    const channels = facts.slice(0, 1)
    expect(
      given(post).when(
        schedulePost({ channels, platformContent: { BLUESKY: 'b' }, options: { bluesky: {} } }),
      ),
    ).toMatchObject({
      details: { issues: [{ path: 'platformContent.BLUESKY' }, { path: 'bluesky' }] },
    })
  })
  test('a stream that has a post takes no second one', () => {
    expect(given(post, scheduled).when(schedulePost())).toMatchObject({ code: 'conflict' })
  })
})

describe('editing', () => {
  test('a scheduled post takes new text', () => {
    expect(given(post, scheduled).when(edit({ content: 'New' }))).toEqual([
      { type: 'PostEdited', content: 'New', platformContent: {} },
    ])
  })
  test('a scheduled post takes new per-platform text, and null clears it', () => {
    const own: PostEvent = {
      type: 'PostEdited',
      content: 'Hello',
      platformContent: { MASTODON: 'Own' },
    }
    expect(given(post, scheduled).when(edit({ platformContent: { MASTODON: 'Own' } }))).toEqual([
      own,
    ])
    expect(given(post, scheduled, own).when(edit({ platformContent: null }))).toEqual([
      { type: 'PostEdited', content: 'Hello', platformContent: {} },
    ])
  })
  test('a scheduled post takes a new publish time', () => {
    const publishAt = '2026-03-03T00:00:00.000Z'
    expect(given(post, scheduled).when(edit({ publishAt }))).toEqual([
      { type: 'PostRescheduled', scheduledAt: publishAt },
    ])
  })
  test('an edit that changes nothing is no event', () => {
    expect(given(post, scheduled).when(edit({ content: 'Hello', publishAt: LATER }))).toEqual([])
  })
  test('the rules run again on the result of an edit', () => {
    expect(given(post, scheduled).when(edit({ content: 'x'.repeat(301) }))).toMatchObject({
      code: 'validation_failed',
      details: { violations: [{ channelId: BLUESKY, rule: 'maxChars' }] },
    })
  })
  test.each(['publishing', 'published', 'failed'])('a %s post cannot be edited', (state) => {
    expect(given(post, ...inEachState[state]!).when(edit({ content: 'New' }))).toMatchObject({
      code: 'conflict',
    })
  })
  test.each(['removed', 'absent'])('a post that is %s is not found', (state) => {
    expect(given(post, ...inEachState[state]!).when(edit({ content: 'New' }))).toMatchObject({
      code: 'not_found',
    })
  })
})

describe('removing', () => {
  test.each([
    ['scheduled', 'PostCancelled'],
    ['published', 'PostRemoved'],
    ['failed', 'PostRemoved'],
  ])('a %s post is taken away: %s', (state, type) => {
    const events = inEachState[state]!
    expect(given(post, ...events).when(remove)).toEqual([{ type, actor: 'key:1' }])
  })
  test('a post that is being published cannot be removed', () => {
    expect(given(post, scheduled, started).when(remove)).toMatchObject({ code: 'conflict' })
  })
  test.each(['removed', 'absent'])('a post that is %s is not found', (state) => {
    expect(given(post, ...inEachState[state]!).when(remove)).toMatchObject({ code: 'not_found' })
  })
})

describe('publishing', () => {
  test('a started post is publishing on every channel', () => {
    const { state } = given(post, scheduled, started)
    expect(exists(state) && [state.status, state.channels.map(({ status }) => status)]).toEqual([
      'publishing',
      ['publishing', 'publishing'],
    ])
  })
  test('the first of two channels to end does not end the post', () => {
    expect(given(post, scheduled, started).when(record(MASTODON, publishedResult))).toEqual([
      live(MASTODON),
    ])
  })
  test('a post is published when all have ended and at least one is live', () => {
    const events = given(post, scheduled, started, lost(BLUESKY))
    expect(events.when(record(MASTODON, publishedResult))).toEqual([
      live(MASTODON),
      { type: 'PostPublished', published: 1, failed: 1 },
    ])
  })
  test('a post is failed when all have ended and none is live', () => {
    const events = given(post, scheduled, started, lost(BLUESKY))
    expect(events.when(record(MASTODON, failedResult))).toEqual([lost(MASTODON), failed])
  })
  test('publishedAt of a post is the first moment one of its channels went live', () => {
    const early = { ...live(BLUESKY), publishedAt: '2026-03-02T11:59:59.000Z' } as PostEvent
    const { state } = given(post, scheduled, started, live(MASTODON), early)
    expect(exists(state) && state.publishedAt).toBe('2026-03-02T11:59:59.000Z')
  })
  test('the same result told again changes nothing', () => {
    const events = given(post, scheduled, started, live(MASTODON), lost(BLUESKY), published)
    expect(events.when(record(MASTODON, publishedResult))).toEqual([])
    expect(events.when(record(BLUESKY, failedResult))).toEqual([])
  })
  test('a live channel never becomes failed', () => {
    const events = given(post, scheduled, started, live(MASTODON))
    expect(events.when(record(MASTODON, failedResult))).toEqual([])
  })
  test('a channel reported failed that is live after all becomes published, and so does its post', () => {
    expect(given(post, ...inEachState.failed!).when(record(MASTODON, publishedResult))).toEqual([
      live(MASTODON),
      { type: 'PostPublished', published: 1, failed: 1 },
    ])
  })
  test('a delay is kept with its attempt and next time, once', () => {
    const delayed: ChannelResult = {
      outcome: 'delayed',
      error: 'Slow down.',
      errorCode: 'rate_limited',
      attempts: 1,
      nextAttemptAt: LATER,
    }
    const event: PostEvent = {
      type: 'ChannelDelayed',
      channelId: MASTODON,
      platform: 'MASTODON',
      attempts: 1,
      nextAttemptAt: LATER,
      error: 'Slow down.',
      errorCode: 'rate_limited',
    }
    expect(given(post, scheduled, started).when(record(MASTODON, delayed))).toEqual([event])
    expect(given(post, scheduled, started, event).when(record(MASTODON, delayed))).toEqual([])
  })
  test('a result for a channel that the post does not have, or before it started, changes nothing', () => {
    expect(given(post, scheduled, started).when(record('chan_x', publishedResult))).toEqual([])
    expect(given(post, scheduled).when(record(MASTODON, publishedResult))).toEqual([])
    expect(given(post).when(record(MASTODON, publishedResult))).toEqual([])
  })
  test('a removed post ignores late results', () => {
    const events = given(post, ...inEachState.failed!, { type: 'PostRemoved', actor: 'key:1' })
    expect(events.when(record(MASTODON, publishedResult))).toEqual([])
  })
  test('a post nothing was heard of ends as unconfirmed on its open channels only', () => {
    const events = given(post, scheduled, started, live(MASTODON))
    expect(events.when({ type: 'AbandonPublishing' })).toMatchObject([
      { type: 'ChannelFailed', channelId: BLUESKY, errorCode: 'unconfirmed', retryable: false },
      { type: 'PostPublished', published: 1, failed: 1 },
    ])
  })
  test.each(['scheduled', 'published', 'failed', 'removed', 'absent'])(
    'a %s post is not abandoned',
    (state) => {
      expect(given(post, ...inEachState[state]!).when({ type: 'AbandonPublishing' })).toEqual([])
    },
  )
})
