import { AppError } from '@herald/contracts/errors'
import type { posts } from '@herald/contracts/posts'
import type { Handlers } from '@herald/contracts/rpc'
import { handle, loadEvents } from '@herald/event-store/handle'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { checkProjection, rebuildProjection } from '@herald/event-store/rebuild'
import { requireVisible } from './access.ts'
import { createPost } from './create.ts'
import { fromCursor, toCursor } from '@herald/event-store/cursor'
import type { Deps } from './deps.ts'
import { optionsFor } from './domain/rules.ts'
import { editPost } from './edit.ts'
import { metaOf } from '@herald/event-store/meta'
import { postStream } from './post-stream.ts'
import { findHolding, findPost, listPosts } from './queries.ts'
import { removePost } from './remove.ts'
import { toPost } from './view.ts'

/** What the posts service answers. */
export function postsHandlers(deps: Deps): Handlers<typeof posts> {
  const { store, database } = deps
  return {
    create: (input) => createPost(deps, input),

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

    async getForPublishing({ organizationId, postId }) {
      const found = await findPost(database.pool, organizationId, postId)
      if (!found) throw new AppError('not_found', 'There is no such post.')
      return {
        postId,
        organizationId,
        status: found.status,
        dueAt: found.scheduled_at,
        channels: found.channels.map((channel) => ({
          channelId: channel.channel_id,
          platform: channel.platform,
          status: channel.status,
          content: channel.content,
          options: optionsFor(found.options, channel.platform),
        })),
        mediaIds: found.media.map(({ id }) => id),
      }
    },

    holding: async ({ postIds }) => ({ data: await findHolding(database.pool, postIds) }),

    async recordChannelResult({ organizationId, postId, channelId, result }) {
      const command = { type: 'RecordChannelResult', channelId, result } as const
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
