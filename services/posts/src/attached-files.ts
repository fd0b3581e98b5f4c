import { unavailable } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Rider } from '@herald/event-store/append'
import { RiderRefused } from '@herald/event-store/errors'
import type { Deps } from './deps.ts'
import { isRefusal } from './is-refusal.ts'

export type Files = {
  media: AttachedMedia[]
  /** Ride with the new post, and refuse it when its files may have been let go by then. */
  riders: readonly Rider[]
}

type FilesOfPost = { organizationId: string; postId: string; mediaIds: readonly string[] }

/**
 * Holds files for a post while it is created. When it certainly was not created they are let go at once; after a crash, a
 * lost message or a commit of unknown outcome the media service finds out by itself.
 */
export async function withFiles<T>(
  deps: Pick<Deps, 'media' | 'now' | 'logger'>,
  post: FilesOfPost,
  create: (files: Files) => Promise<T>,
): Promise<T> {
  if (post.mediaIds.length === 0) return create({ media: [], riders: [] })
  const files = await attach(deps, post)
  try {
    return await create(files)
  } catch (error) {
    if (isRefusal(error)) await release(deps, post)
    throw error instanceof RiderRefused && error.rider === STILL_HELD ? unavailable(error) : error
  }
}

async function attach(
  deps: Pick<Deps, 'media' | 'now' | 'logger'>,
  post: FilesOfPost,
): Promise<Files> {
  const askedAt = deps.now()
  try {
    const { data, goodForMs } = await deps.media.attach({ ...post, mediaIds: [...post.mediaIds] })
    return { media: data, riders: [stillHeld(askedAt + goodForMs)] }
  } catch (error) {
    await release(deps, post)
    throw error
  }
}

async function release(
  { media, logger }: Pick<Deps, 'media' | 'logger'>,
  { organizationId, postId }: FilesOfPost,
): Promise<void> {
  await media.release({ organizationId, postId }).catch((error: unknown) => {
    logger.info({ error, postId }, 'The media service will let go of files by itself.')
  })
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
