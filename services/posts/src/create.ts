import { RiderRefused } from '@herald/event-store/errors'
import { handle } from '@herald/event-store/handle'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Caller, CreatePostBody, Post, PostSource } from '@herald/contracts/posts'
import { crashPoint } from '@herald/service/crash-point'
import { requireChannels } from './access.ts'
import type { Deps } from './deps.ts'
import { post, type PostCommand } from './domain/post.ts'
import { claimFingerprint, findByFingerprint, fingerprintOf } from './fingerprint.ts'
import { metaOf } from '@herald/event-store/meta'
import { withinPostQuota } from './post-quota.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type CreateInput = { caller: Caller; source: PostSource; body: CreatePostBody }

/** Accepts a post: from here on it is never lost (specification, "POST /posts"). */
export async function createPost(deps: Deps, { caller, source, body }: CreateInput): Promise<Post> {
  refuseMedia(body.mediaIds)
  const channels = await requireChannels(deps, caller, body.channelIds)
  const now = deps.now()
  const { content, channelIds: _channels, mediaIds: _media, publishAt, ...rest } = body
  const { platformContent = {}, ...options } = rest
  const created = await schedule(deps, caller, fingerprintOf(body), now, {
    type: 'SchedulePost',
    organizationId: caller.organizationId,
    actor: caller.actor,
    now: new Date(now).toISOString(),
    source,
    content,
    platformContent,
    options,
    channels,
    publishAt,
  })
  if (Date.parse(created.scheduledAt) <= now) deps.onDue()
  return created
}

async function schedule(
  deps: Deps,
  caller: Caller,
  fingerprint: string,
  now: number,
  command: PostCommand,
): Promise<Post> {
  const { organizationId } = caller
  // What is refused by itself reserves nothing.
  post.decide(command, post.initial)
  for (;;) {
    const unit = { organizationId, postId: newId('post', now) }
    try {
      const { state, version } = await withinPostQuota(deps.quota, unit, () => {
        crashPoint('posts.before-append')
        return handle(deps.store, postStream, unit.postId, command, {
          organizationId,
          meta: metaOf(caller.actor),
          isNew: true,
          riders: [claimFingerprint(organizationId, fingerprint, unit.postId)],
        })
      })
      crashPoint('posts.appended')
      return viewOfState(state, { id: unit.postId, version }, caller.channels)
    } catch (error) {
      const isFull = error instanceof AppError && error.code === 'limit_reached'
      if (!(error instanceof RiderRefused) && !isFull) throw error
      const postId = await findByFingerprint(deps.store.pool, organizationId, fingerprint)
      // Who asks again because the answer was lost learns of the post, also when it was the last of the month.
      if (postId !== undefined) throw duplicatePost(postId, error)
      if (isFull) throw error
      // Without a holder the same post was cancelled between the two looks: then it may be created.
    }
  }
}

function duplicatePost(postId: string, cause: unknown): AppError {
  return new AppError('duplicate_post', 'The same post was created within the last 5 minutes.', {
    details: { postId },
    cause,
  })
}

/** No file can be attached while there is no media library, so every id is an unknown one. */
function refuseMedia(mediaIds: readonly string[]): void {
  if (mediaIds.length === 0) return
  const issues = mediaIds.map((_, index) => ({
    path: `mediaIds.${index}`,
    message: 'is not a file of your media library',
  }))
  throw new AppError('validation_failed', 'The post names a file that is not in your library.', {
    details: { issues },
  })
}
