import type { MediaFilter, MediaPage } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { fromCursor, toCursor } from '@herald/event-store/cursor'
import type { z } from 'zod'
import type { Deps } from './deps.ts'
import { listMedia } from './queries.ts'
import { toMedia } from './view.ts'

export type ListInput = {
  caller: Caller
  type?: MediaFilter | undefined
  q?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Ready files newest first (specification, "GET /media"). */
export async function list(deps: Deps, input: ListInput): Promise<z.infer<typeof MediaPage>> {
  const { caller, limit, cursor, ...filters } = input
  const scope = ['media', caller.organizationId, filters]
  const found = await listMedia(deps.database, {
    ...filters,
    organizationId: caller.organizationId,
    after: cursor === undefined ? undefined : fromCursor(cursor, scope),
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const viewing = { filesUrl: deps.settings.filesUrl, now: deps.now() }
  return {
    data: page.map((row) => toMedia(row, viewing)),
    nextCursor:
      found.length > limit && last
        ? toCursor({ createdAt: last.created_at, id: last.id }, scope)
        : null,
  }
}
