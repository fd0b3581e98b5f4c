import { unavailable } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Rider } from '@herald/event-store/append'
import { RiderRefused } from '@herald/event-store/errors'
import type { Deps } from './deps.ts'

export type Files = {
  media: AttachedMedia[]
  /** Ride with the new post, and refuse it when its files may have been let go by then. */
  riders: readonly Rider[]
}

/**
 * Holds files for a post while it is created. When it is not created they are let go at once; if that message is lost
 * the media service finds out by itself.
 */
export async function withFiles<T>(
  { media, now, logger }: Pick<Deps, 'media' | 'now' | 'logger'>,
  post: { organizationId: string; postId: string; mediaIds: readonly string[] },
  create: (files: Files) => Promise<T>,
): Promise<T> {
  if (post.mediaIds.length === 0) return create({ media: [], riders: [] })
  const { organizationId, postId } = post
  const askedAt = now()
  try {
    const { data, goodForMs } = await media.attach({ ...post, mediaIds: [...post.mediaIds] })
    return await create({ media: data, riders: [stillHeld(askedAt + goodForMs)] })
  } catch (error) {
    await media.release({ organizationId, postId }).catch((failure: unknown) => {
      logger.info({ error: failure, postId }, 'The media service will let go of files by itself.')
    })
    throw error instanceof RiderRefused && error.rider === STILL_HELD ? unavailable(error) : error
  }
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
