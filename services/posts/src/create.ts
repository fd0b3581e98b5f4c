import type { ChannelForPosting } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Caller, CreatePostBody, Post, PostSource } from '@herald/contracts/posts'
import { RiderRefused } from '@herald/event-store/errors'
import { handle, type Versioned } from '@herald/event-store/handle'
import { isClaimLost, type KeepAnswer } from '@herald/event-store/idempotency'
import { metaOf } from '@herald/event-store/meta'
import { crashPoint } from '@herald/service/crash-point'
import { requireChannels } from './access.ts'
import { withFiles } from './attached-files.ts'
import type { Deps } from './deps.ts'
import { post, type PostCommand } from './domain/post.ts'
import type { PostState } from './domain/state.ts'
import { claimFingerprint, findByFingerprint, fingerprintOf } from './fingerprint.ts'
import { withinPostQuota } from './post-quota.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type CreateInput = { caller: Caller; source: PostSource; body: CreatePostBody }

/** A post that may be tried more than once, with what does not change from try to try. */
type NewPost = CreateInput & {
  channels: ChannelForPosting[]
  now: number
  fingerprint: string
  keepAnswer: KeepAnswer<Post>
}

/** Accepts a post: from here on it is never lost (specification, "POST /posts"). */
export async function createPost(
  deps: Deps,
  input: CreateInput,
  keepAnswer: KeepAnswer<Post>,
): Promise<Post> {
  const { caller, body } = input
  const channels = await requireChannels(deps, caller, body.channelIds)
  const fingerprint = fingerprintOf(body)
  const now = deps.now()
  for (;;) {
    try {
      const created = await tryToCreate(deps, { ...input, channels, now, fingerprint, keepAnswer })
      if (Date.parse(created.scheduledAt) <= now) deps.onDue()
      return created
    } catch (error) {
      if (isClaimLost(error)) throw error
      const isFull = error instanceof AppError && error.code === 'limit_reached'
      if (!(error instanceof RiderRefused) && !isFull) throw error
      const postId = await findByFingerprint(deps.store.pool, caller.organizationId, fingerprint)
      // Who asks again because the answer was lost learns of the post, also when it was the last of the month.
      if (postId !== undefined) throw duplicatePost(postId, error)
      if (isFull) throw error
      // Without a holder the same post was cancelled between the two looks: then it may be created.
    }
  }
}

async function tryToCreate(deps: Deps, input: NewPost): Promise<Post> {
  const { caller, body, now, fingerprint, keepAnswer } = input
  const { organizationId, actor, channels: restriction } = caller
  const postId = newId('post', now)
  const unit = { organizationId, postId }
  const { mediaIds } = body
  return withFiles(deps, { ...unit, mediaIds }, ({ media, riders }) => {
    const command = commandOf(input, media)
    // What is refused by itself reserves nothing.
    post.decide(command, post.initial)
    return withinPostQuota(deps.quota, unit, async () => {
      crashPoint('posts.before-append')
      const answer = ({ state, version }: Versioned<PostState>) =>
        viewOfState(state, { id: postId, version }, restriction)
      const created = await handle(deps.store, postStream, postId, command, {
        organizationId,
        meta: metaOf(actor),
        isNew: true,
        riders: (_events, after) => [
          ...keepAnswer(answer(after)),
          claimFingerprint(organizationId, fingerprint, postId),
          ...riders,
        ],
      })
      crashPoint('posts.appended')
      return answer(created)
    })
  })
}

function commandOf(
  { caller, source, body, channels, now }: NewPost,
  media: AttachedMedia[],
): PostCommand {
  const { content, channelIds: _channels, mediaIds: _media, publishAt, ...rest } = body
  const { platformContent = {}, ...options } = rest
  return {
    type: 'SchedulePost',
    organizationId: caller.organizationId,
    actor: caller.actor,
    now: new Date(now).toISOString(),
    source,
    content,
    platformContent,
    options,
    media,
    channels,
    publishAt,
  }
}

function duplicatePost(postId: string, cause: unknown): AppError {
  return new AppError('duplicate_post', 'The same post was created within the last 5 minutes.', {
    details: { postId },
    cause,
  })
}
