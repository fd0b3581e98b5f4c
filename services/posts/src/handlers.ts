import { AppError } from '@herald/contracts/errors'
import type { posts } from '@herald/contracts/posts'
import type { Handlers } from '@herald/contracts/rpc'
import { handle, loadEvents } from '@herald/event-store/handle'
import { once } from '@herald/event-store/idempotency'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { checkProjection, rebuildProjection } from '@herald/event-store/rebuild'
import { requireVisible } from './access.ts'
import { createPost } from './create.ts'
import { fromCursor, toCursor } from '@herald/event-store/cursor'
import type { Deps } from './deps.ts'
import { editPost } from './edit.ts'
import { getForPublishing } from './get-for-publishing.ts'
import { listPostEvents } from './history.ts'
import { metaOf } from '@herald/event-store/meta'
import { postStream } from './post-stream.ts'
import { filterCreated, findHolding, listPosts } from './queries.ts'
import { removePost } from './remove.ts'
import { retryPost } from './retry.ts'
import { validatePost } from './validate.ts'
import { toPost } from './view.ts'

/** What the posts service answers. */
export function postsHandlers(deps: Deps): Handlers<typeof posts> {
  const { store, database } = deps
  return {
    create: (input) =>
      once(database.pool, 'posts.create', input, (keep) => createPost(deps, input, keep)),

    async get({ caller, postId }) {
      const found = await requireVisible(deps, caller, postId)
      return toPost(found, found.channels, caller.channels)
    },

    list: (input) => list(deps, input),

    edit: (input) => editPost(deps, input),
    remove: (input) => removePost(deps, input),

    async history({ organizationId, postId }) {
      // An operator may look at a post without knowing whose it is.
      const door =
        organizationId === undefined
          ? acrossOrganizations(database.pool)
          : forOrganization(database.pool, organizationId)
      const events = await loadEvents(door, postId, organizationId)
      if (events.length === 0) throw new AppError('not_found', 'There is no such post.')
      return {
        data: events.map(({ version, type, at, meta, data }) => ({
          version,
          type,
          at,
          data,
          actor: meta.actor ?? null,
        })),
      }
    },

    validate: (input) => validatePost(deps, input),
    retry: (input) =>
      once(database.pool, 'posts.retry', input, (keep) => retryPost(deps, input, keep)),
    events: (input) => listPostEvents(deps, input),

    getForPublishing: (input) => getForPublishing(deps, input),
    holding: async ({ postIds }) => ({ data: await findHolding(database.pool, postIds) }),

    filterCreated: async ({ postIds }) => ({
      postIds: await filterCreated(database.pool, postIds),
    }),

    async recordChannelResult({ organizationId, postId, ...reported }) {
      const command = { type: 'RecordChannelResult', ...reported } as const
      const { events } = await handle(store, postStream, postId, command, {
        organizationId,
        meta: metaOf('publisher'),
      })
      return { recorded: events.length > 0 }
    },

    checkProjections: () => checkProjection(database.pool, postStream),
    rebuildProjections: () => rebuildProjection(database.pool, postStream),
  }
}

async function list(
  { database }: Deps,
  input: Parameters<Handlers<typeof posts>['list']>[0],
): ReturnType<Handlers<typeof posts>['list']> {
  const { caller, limit, cursor, ...filters } = input
  const scope = ['posts', caller.organizationId, filters]
  const found = await listPosts(database, {
    ...filters,
    organizationId: caller.organizationId,
    restriction: caller.channels,
    after: cursor === undefined ? undefined : fromCursor(cursor, scope),
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.map((row) => toPost(row, row.channels, caller.channels)),
    nextCursor:
      found.length > limit && last
        ? toCursor({ createdAt: last.created_at, id: last.id }, scope)
        : null,
  }
}
