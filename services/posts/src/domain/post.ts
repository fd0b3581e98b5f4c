import { AppError } from '@herald/contracts/errors'
import type { PostOptions } from '@herald/contracts/post-options'
import type { EditPostBody, PlatformContent, PostSource } from '@herald/contracts/posts'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Decider } from '@herald/event-store/decider'
import { dueTime } from './due-time.ts'
import type { PostEvent } from './events.ts'
import { abandon, recordResult, type ReportedResult } from './results.ts'
import { retry, type RetryFacts } from './retry.ts'
import { type ChannelFacts, requireKnownPlatforms, requireRules } from './rules.ts'
import { evolve, type ExistingPost, exists, type PostState } from './state.ts'

export type PostCommand =
  | {
      type: 'SchedulePost'
      organizationId: string
      source: PostSource
      actor: string
      content: string
      platformContent: PlatformContent
      options: PostOptions
      media: AttachedMedia[]
      channels: ChannelFacts[]
      publishAt: string | undefined
      now: string
    }
  | { type: 'EditPost'; changes: EditPostBody; channels: ChannelFacts[]; now: string }
  | { type: 'RemovePost'; actor: string }
  | ({ type: 'RetryPost' } & RetryFacts)
  | ({ type: 'RecordChannelResult' } & ReportedResult)
  | { type: 'AbandonPublishing' }

/**
 * A post: scheduled, then publishing (the scheduler's claim appends `PublishStarted` itself), then published or
 * failed; removed from any state but publishing (specification, "Post status"). A retry leads back to scheduled.
 */
export const post: Decider<PostState, PostCommand, PostEvent> = {
  initial: { status: 'absent' },
  evolve,
  decide(command, state) {
    switch (command.type) {
      case 'SchedulePost':
        return schedule(command, state)
      case 'EditPost':
        return edit(command, requirePost(state))
      case 'RemovePost':
        return remove(command.actor, requirePost(state))
      case 'RetryPost':
        return retry(command, requirePost(state))
      case 'RecordChannelResult':
        return exists(state) ? recordResult(state, command) : []
      case 'AbandonPublishing':
        return exists(state) ? abandon(state) : []
    }
  },
}

function schedule(
  command: Extract<PostCommand, { type: 'SchedulePost' }>,
  state: PostState,
): PostEvent[] {
  if (state.status !== 'absent') throw new AppError('conflict', 'This post exists already.')
  const { organizationId, source, actor, content, platformContent, options, media, channels } =
    command
  const scheduledAt = dueTime(command.publishAt, command.now)
  requireKnownPlatforms(command, channels)
  requireRules(command, channels)
  const refs = channels.map(({ id, platform }) => ({ channelId: id, platform }))
  return [
    {
      type: 'PostScheduled',
      organizationId,
      createdAt: command.now,
      source,
      actor,
      content,
      platformContent,
      options,
      media,
      scheduledAt,
      channels: refs,
    },
  ]
}

function edit(
  { changes, channels, now }: Extract<PostCommand, { type: 'EditPost' }>,
  state: ExistingPost,
): PostEvent[] {
  if (state.status !== 'scheduled')
    throw new AppError('conflict', 'Only a scheduled post can be changed.')
  // What is live already on other channels would no longer be what the post says.
  if (state.generation > 0)
    throw new AppError('conflict', 'A post that is being retried cannot be changed.')
  const content = changes.content ?? state.content
  const platformContent =
    changes.platformContent === undefined ? state.platformContent : (changes.platformContent ?? {})
  const scheduledAt =
    changes.publishAt === undefined ? state.scheduledAt : dueTime(changes.publishAt, now)
  const draft = { content, platformContent, options: state.options, media: state.media }
  requireKnownPlatforms(draft, state.channels)
  requireRules(draft, channels)
  const events: PostEvent[] = []
  if (content !== state.content || !sameTexts(platformContent, state.platformContent))
    events.push({ type: 'PostEdited', content, platformContent })
  if (scheduledAt !== state.scheduledAt) events.push({ type: 'PostRescheduled', scheduledAt })
  return events
}

function remove(actor: string, state: ExistingPost): PostEvent[] {
  switch (state.status) {
    case 'scheduled':
      // A retried post is not one that never went out, so it is no cancellation.
      return [{ type: state.generation > 0 ? 'PostRemoved' : 'PostCancelled', actor }]
    case 'published':
    case 'failed':
      return [{ type: 'PostRemoved', actor }]
    case 'publishing':
      throw new AppError('conflict', 'The post is being published right now.')
  }
}

/** The post, or the refusal that there is none. */
export function requirePost(state: PostState): ExistingPost {
  if (exists(state)) return state
  throw new AppError('not_found', 'There is no such post.')
}

function sameTexts(one: PlatformContent, other: PlatformContent): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof PlatformContent>
  return [...names].every((name) => one[name] === other[name])
}
