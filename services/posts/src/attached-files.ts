import { AppError, unavailable } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Rider } from '@herald/event-store/append'
import { RiderRefused } from '@herald/event-store/errors'
import type { Deps } from './deps.ts'
import { isRefusal } from './is-refusal.ts'

type HeldPost = { organizationId: string; postId: string; mediaIds: readonly string[] }

export type Files = {
  media: AttachedMedia[]
  /** Ride with the new post, and refuse it when its files may have been let go by then. */
  riders: readonly Rider[]
}

/**
 * Holds files for a post while it is created. When it certainly was not created they are let go at once; after a crash, a
 * lost message or a commit of unknown outcome the media service finds out by itself.
 */
export async function withFiles<T>(
  deps: Pick<Deps, 'media' | 'now' | 'logger'>,
  post: HeldPost,
  create: (files: Files) => Promise<T>,
): Promise<T> {
  if (post.mediaIds.length === 0) return create({ media: [], riders: [] })
  const files = await hold(deps, post).catch(async (error: unknown) => {
    await release(deps, post)
    throw error
  })
  try {
    return await create(files)
  } catch (error) {
    if (isRefusal(error)) await release(deps, post)
    throw asRefusal(error)
  }
}

async function release(
  { media, logger }: Pick<Deps, 'media' | 'logger'>,
  { organizationId, postId }: HeldPost,
): Promise<void> {
  await media.release({ organizationId, postId }).catch((error: unknown) => {
    logger.info({ error, postId }, 'The media service will let go of files by itself.')
  })
}

/**
 * Holds the files of a post that had ended for a retry. `sequence` is the version at which it had. When it is not retried
 * they are not let go, because another retry of the same post may have been first and hold them too; the media
 * service asks after a while.
 */
export async function withFilesAgain<T>(
  deps: Pick<Deps, 'media' | 'now'>,
  post: HeldPost & { sequence: number },
  retry: (riders: readonly Rider[]) => Promise<T>,
): Promise<T> {
  if (post.mediaIds.length === 0) return retry([])
  try {
    const { riders } = await hold(deps, post)
    return await retry([...riders, stillAt(post)])
  } catch (error) {
    throw asRefusal(error)
  }
}

async function hold(
  { media, now }: Pick<Deps, 'media' | 'now'>,
  post: HeldPost & { sequence?: number },
): Promise<Files> {
  const askedAt = now()
  const { data, goodForMs } = await media.attach({ ...post, mediaIds: [...post.mediaIds] })
  return { media: data, riders: [stillHeld(askedAt + goodForMs)] }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof RiderRefused)) return error
  if (error.rider === STILL_HELD) return unavailable(error)
  if (error.rider === STILL_AT)
    return new AppError('conflict', 'The post is being changed by others right now. Try again.', {
      cause: error,
    })
  return error
}

const STILL_HELD = 'files_still_held'

function stillHeld(until: number): Rider {
  return {
    name: STILL_HELD,
    required: true,
    sql: 'select 1 where clock_timestamp() < $1::timestamptz',
    values: [new Date(until).toISOString()],
  }
}

const STILL_AT = 'post_still_at'

/** The hold is told from what came before by the version the post is at, so the post must still be at that one. */
function stillAt({ postId, sequence }: { postId: string; sequence: number }): Rider {
  return {
    name: STILL_AT,
    required: true,
    sql: 'select 1 from streams where stream_id = $1 and version = $2::int',
    values: [postId, sequence],
  }
}
