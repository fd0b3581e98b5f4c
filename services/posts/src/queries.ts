import type { ChannelRestriction } from '@herald/contracts/channels'
import type { PostStatus } from '@herald/contracts/posts'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database, Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import type { Position } from '@herald/event-store/cursor'
import type { PostChannelRow, PostRow, PostsDatabase } from './schema.ts'
import { mayUse } from './view.ts'

export type PostWithChannels = PostRow & { channels: PostChannelRow[] }

/** A post of an organization with all its channels. One named statement: it is the hottest read. */
export async function findPost(
  pool: Pool,
  organizationId: string,
  id: string,
): Promise<PostWithChannels | undefined> {
  const { rows } = await forOrganization(pool, organizationId).query<PostWithChannels>({
    name: 'find_post',
    text: `select p.id, p.organization_id, p.version, p.status, p.content, p.options, p.media,
                  p.scheduled_at, p.published_at, p.created_at, p.source,
                  (select jsonb_agg(to_jsonb(c)) from post_channels c where c.post_id = p.id) as channels
           from posts p where p.id = $1 and p.organization_id = $2`,
    values: [id, organizationId],
  })
  return rows[0] && withIsoTimes(rows[0])
}

export type ListFilter = {
  organizationId: string
  restriction: ChannelRestriction
  status?: PostStatus | undefined
  channelId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  after?: Position | undefined
  limit: number
}

/** Which of the given posts, of any organization, are scheduled or being published. */
export async function findHolding(pool: Pool, ids: readonly string[]): Promise<string[]> {
  const { rows } = await acrossOrganizations(pool).query<{ id: string }>(
    `select id from posts where id = any($1::text[]) and status in ('scheduled', 'publishing')`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** The version of a post's latest start, 0 when it has not started. */
export async function findGeneration(
  pool: Pool,
  organizationId: string,
  id: string,
): Promise<number> {
  const { rows } = await forOrganization(pool, organizationId).query<{ generation: number }>({
    name: 'find_generation',
    text: `select coalesce(max(version), 0) as generation from events
           where stream_id = $1 and type = 'PublishStarted'`,
    values: [id],
  })
  return rows[0]?.generation ?? 0
}

/** Posts newest first, at most `limit`, each with all its channels. */
export async function listPosts(
  { db, pool }: Database<PostsDatabase>,
  filter: ListFilter,
): Promise<PostWithChannels[]> {
  let query = db
    .selectFrom('posts')
    .selectAll()
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('post_channels')
          .selectAll()
          .whereRef('post_channels.post_id', '=', 'posts.id'),
      ).as('channels'),
    )
    .where('organization_id', '=', filter.organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.from) query = query.where('scheduled_at', '>=', filter.from)
  if (filter.to) query = query.where('scheduled_at', '<', filter.to)
  if (filter.after)
    query = query.where(
      sql<boolean>`(created_at, id) < (${filter.after.createdAt}::timestamptz, ${filter.after.id})`,
    )
  const channelIds = channelsOf(filter)
  if (channelIds !== 'all')
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('post_channels')
          .select(sql`1`.as('one'))
          .whereRef('post_channels.post_id', '=', 'posts.id')
          .where('channel_id', '=', sql<string>`any(${channelIds}::text[])`),
      ),
    )
  const { sql: text, parameters } = query.compile()
  const { rows } = await forOrganization(pool, filter.organizationId).query<PostWithChannels>(
    text,
    [...parameters],
  )
  return rows.map(withIsoTimes)
}

/** Those of the posts, of any organization, that were created and not cancelled, whether they were removed later or not. */
export async function filterCreated(pool: Pool, postIds: readonly string[]): Promise<string[]> {
  const { rows } = await acrossOrganizations(pool).query<{ id: string }>(
    `select e.stream_id as id from events e
     where e.stream_id = any($1) and e.type = 'PostScheduled'
       and not exists (select from events c where c.stream_id = e.stream_id and c.type = 'PostCancelled')`,
    [postIds],
  )
  return rows.map(({ id }) => id)
}

/** Of which channels a post must have one. A channel that the caller does not see finds nothing, like an unknown one. */
function channelsOf({ restriction, channelId }: ListFilter): ChannelRestriction {
  if (channelId === undefined) return restriction
  return mayUse(restriction, channelId) ? [channelId] : []
}

/** JSON made by Postgres writes times its own way; here they become what the API writes. */
function withIsoTimes(row: PostWithChannels): PostWithChannels {
  return {
    ...row,
    channels: row.channels.map((channel) => ({
      ...channel,
      published_at: iso(channel.published_at),
      next_attempt_at: iso(channel.next_attempt_at),
    })),
  }
}

function iso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
