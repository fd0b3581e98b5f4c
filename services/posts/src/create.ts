import { RiderRefused } from '@herald/event-store/errors'
import { handle } from '@herald/event-store/handle'
import type { KeepAnswer } from '@herald/event-store/idempotency'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Caller, CreatePostBody, Post, PostSource } from '@herald/contracts/posts'
import { metaOf } from '@herald/event-store/meta'
import { crashPoint } from '@herald/service/crash-point'
import { requireChannels } from './access.ts'
import { type Files, withFiles } from './attached-files.ts'
import type { Deps } from './deps.ts'
import type { PostCommand } from './domain/post.ts'
import {
  CLAIM_FINGERPRINT,
  claimFingerprint,
  findByFingerprint,
  fingerprintOf,
} from './fingerprint.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type CreateInput = { caller: Caller; source: PostSource; body: CreatePostBody }

/** Accepts a post: from here on it is never lost (specification, "POST /posts"). */
export async function createPost(
  deps: Deps,
  { caller, source, body }: CreateInput,
  keepAnswer: KeepAnswer<Post>,
): Promise<Post> {
  const channels = await requireChannels(deps, caller, body.channelIds)
  const now = deps.now()
  const id = newId('post', now)
  const { organizationId, actor } = caller
  const { content, channelIds: _channels, mediaIds, publishAt, ...rest } = body
  const { platformContent = {}, ...options } = rest
  const post = await withFiles(deps, { organizationId, postId: id, mediaIds }, (files) =>
    schedule(
      deps,
      caller,
      { id, fingerprint: fingerprintOf(body), files, keepAnswer },
      {
        type: 'SchedulePost',
        organizationId,
        actor,
        now: new Date(now).toISOString(),
        source,
        content,
        platformContent,
        options,
        media: files.media,
        channels,
        publishAt,
      },
    ),
  )
  if (Date.parse(post.scheduledAt) <= now) deps.onDue()
  return post
}

type NewPost = { id: string; fingerprint: string; files: Files; keepAnswer: KeepAnswer<Post> }

async function schedule(
  deps: Deps,
  caller: Caller,
  { id, fingerprint, files, keepAnswer }: NewPost,
  command: PostCommand,
): Promise<Post> {
  const { organizationId } = caller
  for (;;) {
    try {
      crashPoint('posts.before-append')
      const { state, version } = await handle(deps.store, postStream, id, command, {
        organizationId,
        meta: metaOf(caller.actor),
        isNew: true,
        riders: (_events, after) => [
          ...keepAnswer(viewOfState(after.state, { id, ...after }, caller.channels)),
          claimFingerprint(organizationId, fingerprint, id),
          ...files.riders,
        ],
      })
      crashPoint('posts.appended')
      return viewOfState(state, { id, version }, caller.channels)
    } catch (error) {
      if (!(error instanceof RiderRefused && error.rider === CLAIM_FINGERPRINT)) throw error
      const postId = await findByFingerprint(deps.store.pool, organizationId, fingerprint)
      // Without a holder the same post was cancelled between the two looks: then it may be created.
      if (postId !== undefined)
        throw new AppError(
          'duplicate_post',
          'The same post was created within the last 5 minutes.',
          {
            details: { postId },
            cause: error,
          },
        )
    }
  }
}
