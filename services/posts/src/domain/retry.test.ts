import type { ChannelResult } from '@herald/contracts/posts'
import { given } from '@herald/event-store/given'
import { describe, expect, test } from 'vitest'
import type { PostEvent } from './events.ts'
import { post, type PostCommand } from './post.ts'
import { type ChannelState, exists, type PostState } from './state.ts'

const CREATED = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-02T12:00:00.000Z'
const A = 'chan_a'
const B = 'chan_b'
const C = 'chan_c'
const ref = (channelId: string) => ({ channelId, platform: 'MASTODON' as const })

const scheduled: PostEvent = {
  type: 'PostScheduled',
  organizationId: 'org_1',
  createdAt: CREATED,
  source: 'api',
  actor: 'key:1',
  content: 'Hello',
  platformContent: {},
  options: {},
  media: [],
  channels: [A, B, C].map(ref),
  scheduledAt: CREATED,
}
const start = (generation: number, ...channels: string[]): PostEvent => ({
  type: 'PublishStarted',
  generation,
  scheduledAt: CREATED,
  startedAt: CREATED,
  latenessMs: 3,
  channels: channels.map(ref),
})
const live = (channelId: string): PostEvent => ({
  type: 'ChannelPublished',
  ...ref(channelId),
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: CREATED,
  latenessMs: 5,
  attempts: 1,
})
const lost = (channelId: string, errorCode = 'platform_rejected'): PostEvent => ({
  type: 'ChannelFailed',
  ...ref(channelId),
  error: 'No.',
  errorCode,
  retryable: false,
  latenessMs: 5,
  attempts: 3,
})
const ended = (published: number, failed: number): PostEvent => ({
  type: published > 0 ? 'PostPublished' : 'PostFailed',
  published,
  failed,
})
const retriedFor = (...channels: string[]): PostEvent => ({
  type: 'PostRetried',
  actor: 'key:1',
  scheduledAt: LATER,
  channels: channels.map(ref),
})
const retry = (change: Partial<Extract<PostCommand, { type: 'RetryPost' }>> = {}): PostCommand => ({
  type: 'RetryPost',
  actor: 'key:1',
  now: LATER,
  includeUnconfirmed: false,
  channels: [A, B, C].map((id) => ({ id, status: 'active' as const })),
  ...change,
})
const all = retry({ includeUnconfirmed: true })

const publishedResult: ChannelResult = {
  outcome: 'published',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: CREATED,
  latenessMs: 5,
  attempts: 1,
}
const failedResult: ChannelResult = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'platform_rejected',
  retryable: false,
  attempts: 3,
  latenessMs: 5,
}
const delayedResult: ChannelResult = {
  outcome: 'delayed',
  error: 'Later.',
  errorCode: 'unreachable',
  attempts: 1,
  nextAttemptAt: LATER,
}
const report = (channelId: string, generation: number, result: ChannelResult): PostCommand => ({
  type: 'RecordChannelResult',
  channelId,
  generation,
  result,
})

/** Live on A, refused by B, and nobody knows about C. */
const partly = [scheduled, start(2, A, B, C), live(A), lost(B), lost(C, 'unconfirmed'), ended(1, 2)]
const failed = [scheduled, start(2, A, B, C), lost(A), lost(B), lost(C), ended(0, 3)]

function statuses(state: PostState): [string, ...string[]] {
  if (!exists(state)) return [state.status]
  return [state.status, ...state.channels.map(({ status }) => status)]
}

describe('a retry', () => {
  test('takes the channels that certainly failed, due now, and leaves out what nobody knows', () => {
    expect(given(post, ...partly).when(retry())).toEqual([retriedFor(B)])
  })
  test('takes those that nobody knows of only when told to', () => {
    expect(given(post, ...partly).when(all)).toEqual([retriedFor(B, C)])
  })
  test('of a failed post takes all of its channels', () => {
    expect(given(post, ...failed).when(retry())).toEqual([retriedFor(A, B, C)])
  })
  test('leaves out channels that are no longer connected', () => {
    const channels = [{ id: B, status: 'active' as const }]
    expect(given(post, ...failed).when(retry({ channels }))).toEqual([retriedFor(B)])
  })
  test('of a channel that was unconfirmed once needs the word again, whatever came of it later', () => {
    const again = [retriedFor(B, C), start(8, B, C), live(B), lost(C), ended(2, 1)]
    const twice = given(post, ...partly, ...again)
    expect(twice.when(retry())).toMatchObject({ code: 'conflict', details: { channelIds: [C] } })
    expect(twice.when(all)).toEqual([retriedFor(C)])
  })

  test.each<[string, PostEvent[]]>([
    ['a scheduled post', [scheduled]],
    ['a post that is being published', [scheduled, start(2, A, B, C)]],
    ['a post that is being retried', [...failed, retriedFor(A)]],
    [
      'a post that is live everywhere',
      [scheduled, start(2, A, B, C), live(A), live(B), live(C), ended(3, 0)],
    ],
  ])('of %s is a conflict', (_, events) => {
    expect(given(post, ...events).when(all)).toMatchObject({ code: 'conflict', status: 409 })
  })
  test('of what nobody knows alone is a conflict that names the channels', () => {
    const events = [
      scheduled,
      start(2, A, B, C),
      live(A),
      live(B),
      lost(C, 'unconfirmed'),
      ended(2, 1),
    ]
    expect(given(post, ...events).when(retry())).toMatchObject({
      code: 'conflict',
      details: { channelIds: [C] },
    })
  })
  test('of channels none of which is connected is a conflict that names them', () => {
    expect(given(post, ...partly).when(retry({ channels: [] }))).toMatchObject({
      code: 'conflict',
      details: { channelIds: [B] },
    })
  })
  test('of a channel that must be connected again is refused as at creation', () => {
    const channels = [A, B, C].map((id) => ({ id, status: 'reauth_required' as const }))
    expect(given(post, ...partly).when(retry({ channels }))).toMatchObject({
      code: 'reauth_required',
      details: { channelIds: [B] },
    })
  })
  test.each<[string, PostEvent[]]>([
    ['absent', []],
    ['removed', [...failed, { type: 'PostRemoved', actor: 'key:1' }]],
  ])('of a post that is %s finds nothing', (_, events) => {
    expect(given(post, ...events).when(all)).toMatchObject({ code: 'not_found' })
  })
})

describe('a retried post', () => {
  const { state: waiting } = given(post, ...partly, retriedFor(B))
  const { state: publishing } = given(post, ...partly, retriedFor(B), start(8, B))

  test('waits again on the retried channels only, with all that the failure left behind gone', () => {
    expect(statuses(waiting)).toEqual(['scheduled', 'published', 'draft', 'failed'])
    if (!exists(waiting)) throw new Error('There is a post.')
    expect(waiting).toMatchObject({ scheduledAt: LATER, publishedAt: CREATED })
    expect(waiting.channels[1]).toEqual<ChannelState>({
      ...ref(B),
      status: 'draft',
      platformPostId: null,
      url: null,
      publishedAt: null,
      error: null,
      errorCode: null,
      retryable: null,
      attempts: 0,
      nextAttemptAt: null,
      latenessMs: null,
      isUnconfirmed: false,
    })
    expect(waiting.channels[2]).toMatchObject({ errorCode: 'unconfirmed', attempts: 3 })
  })
  test('starts on these channels only', () => {
    expect(statuses(publishing)).toEqual(['publishing', 'published', 'publishing', 'failed'])
  })
  test.each<[string, ChannelResult, PostEvent[]]>([
    ['published', publishedResult, [live(B), ended(2, 1)]],
    ['failed', failedResult, [lost(B), ended(1, 2)]],
  ])('that ends %s is what all of its channels make it', (_, result, events) => {
    expect(given(post, ...partly, retriedFor(B), start(8, B)).when(report(B, 8, result))).toEqual(
      events,
    )
  })
  test('that fails everywhere again is failed, and can be retried again', () => {
    const again = [...failed, retriedFor(A, B, C), start(8, A, B, C), lost(A), lost(B)]
    const events = given(post, ...again).when(report(C, 8, failedResult))
    expect(events).toEqual([lost(C), ended(0, 3)])
    expect(given(post, ...again, lost(C), ended(0, 3)).when(retry())).toEqual([retriedFor(A, B, C)])
  })
  test('cannot be changed', () => {
    const change: PostCommand = {
      type: 'EditPost',
      changes: { content: 'b' },
      channels: [],
      now: LATER,
    }
    expect(given(post, ...partly, retriedFor(B)).when(change)).toMatchObject({ code: 'conflict' })
  })
  test('is removed, not cancelled, because it went out before', () => {
    const remove: PostCommand = { type: 'RemovePost', actor: 'key:1' }
    expect(given(post, ...partly, retriedFor(B)).when(remove)).toEqual([
      { type: 'PostRemoved', actor: 'key:1' },
    ])
  })
  test('that nothing was heard of ends on the retried channels only', () => {
    const events = given(post, ...partly, retriedFor(B), start(8, B))
    expect(events.when({ type: 'AbandonPublishing' })).toMatchObject([
      { type: 'ChannelFailed', channelId: B, errorCode: 'unconfirmed' },
      ended(1, 2),
    ])
  })
})

describe('news of an earlier start', () => {
  const waiting = [...failed, retriedFor(B, C)]
  const publishing = [...waiting, start(8, B, C)]

  test.each<[string, PostEvent[], ChannelResult]>([
    ['failure, while the retry waits', waiting, failedResult],
    ['failure, while the retry is under way', publishing, failedResult],
    ['delay, while the retry waits', waiting, delayedResult],
    ['delay, while the retry is under way', publishing, delayedResult],
  ])('of a %s say nothing about the retry', (_, events, result) => {
    expect(given(post, ...events).when(report(B, 2, result))).toEqual([])
  })
  test('of a success end the wait of that channel, and the others go on', () => {
    const events = given(post, ...waiting)
    expect(events.when(report(B, 2, publishedResult))).toEqual([live(B)])
    const { state } = given(post, ...waiting, live(B))
    expect(statuses(state)).toEqual(['scheduled', 'failed', 'published', 'draft'])
  })
  test('of a success of the last channel that waits end the post before it starts', () => {
    const events = [...failed, retriedFor(B)]
    expect(given(post, ...events).when(report(B, 2, publishedResult))).toEqual([
      live(B),
      ended(1, 2),
    ])
  })
  test('of a success win over the retry that is under way, whatever that comes to', () => {
    const events = [...failed, retriedFor(B), start(8, B)]
    expect(given(post, ...events).when(report(B, 2, publishedResult))).toEqual([
      live(B),
      ended(1, 2),
    ])
    const after = given(post, ...events, live(B), ended(1, 2))
    expect(after.when(report(B, 8, failedResult))).toEqual([])
    expect(after.when(report(B, 8, publishedResult))).toEqual([])
  })
  test('of a channel that is live clear it of doubt: it can fail no more', () => {
    const events = [...partly, retriedFor(B, C), start(8, B, C), live(C)]
    const { state } = given(post, ...events)
    expect(exists(state) && state.channels[2]?.isUnconfirmed).toBe(false)
  })
})
