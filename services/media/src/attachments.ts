import { AppError } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Pool, PoolClient } from '@herald/event-store/database'
import {
  acrossOrganizations,
  enterOrganization,
  forOrganization,
  type Queryable,
} from '@herald/event-store/organization'
import type { Deps } from './deps.ts'
import { findReady } from './queries.ts'
import { inTransaction } from './transaction.ts'
import { toAttached } from './view.ts'

/** A post must be committed within this time of attaching its files. */
const GOOD_FOR_MS = 60_000
/** After this time a post that is not committed will not be; it is asked for, and its files are let go. */
const ASK_AFTER_SECONDS = 120

export type OwnMedia = { organizationId: string; mediaIds: readonly string[] }
export type PostMedia = OwnMedia & {
  postId: string
  /** For a post that has been before: its version. The end that came before is no end of this hold. */
  sequence?: number | undefined
}

/** Ready files in the order asked. 422 names each file that is unknown, another's, or not ready. */
export async function requireReady(
  target: Queryable,
  { organizationId, mediaIds }: OwnMedia,
  filesUrl: string,
): Promise<AttachedMedia[]> {
  const rows = await findReady(target, organizationId, mediaIds)
  const byId = new Map(rows.map((row) => [row.id, row]))
  if (byId.size < new Set(mediaIds).size) throw unknownFiles(mediaIds, byId)
  return mediaIds
    .map((id) => byId.get(id))
    .filter((row) => row !== undefined)
    .map((row) => toAttached(row, filesUrl))
}

/** Holds files for a post that is about to be created, or published again. */
export async function attach(
  { store, settings }: Pick<Deps, 'store' | 'settings'>,
  { organizationId, postId, mediaIds, sequence }: PostMedia,
): Promise<{ data: AttachedMedia[]; goodForMs: number }> {
  return inTransaction(store.pool, async (client) => {
    await enterOrganization(client, organizationId)
    // A deletion holds this lock until it is committed; in the order of ids two attachments cannot wait for each other.
    await client.query(
      `select from streams where stream_id = any($1::text[]) and organization_id = $2
       order by stream_id for share`,
      [mediaIds, organizationId],
    )
    const data = await requireReady(client, { organizationId, mediaIds }, settings.filesUrl)
    if (sequence !== undefined) await forgetNewsUpTo(client, postId, sequence)
    await client.query(
      `insert into attachments (media_id, post_id, organization_id)
       select id, $2, $3 from unnest($1::text[]) as id
       on conflict (media_id, post_id) ${sequence === undefined ? 'do nothing' : HOLD_ANEW}`,
      [mediaIds, postId, organizationId],
    )
    return { data, goodForMs: GOOD_FOR_MS }
  })
}

/** A hold of the life before may still stand. It is in doubt again, until news of the new life come. */
const HOLD_ANEW = 'do update set is_confirmed = false, attached_at = excluded.attached_at'

/** What happened to a post up to a version is known to whoever names that version, and may arrive late here. */
async function forgetNewsUpTo(client: PoolClient, postId: string, sequence: number): Promise<void> {
  await client.query(
    `insert into followed_posts (post_id, sequence) values ($1, $2)
     on conflict (post_id) do update
       set sequence = greatest(followed_posts.sequence, excluded.sequence), at = excluded.at`,
    [postId, sequence],
  )
}

function unknownFiles(ids: readonly string[], known: Map<string, unknown>): AppError {
  const issues = ids
    .map((id, index) => ({ id, path: `mediaIds.${index}` }))
    .filter(({ id }) => !known.has(id))
    .map(({ path }) => ({ path, message: 'is not a ready file of your media library' }))
  return new AppError('validation_failed', 'The post names a file that is not in your library.', {
    details: { issues },
  })
}

/** Lets go of the files of a post that was not created. */
export async function release(
  pool: Pool,
  { organizationId, postId }: Pick<PostMedia, 'organizationId' | 'postId'>,
): Promise<{ released: number }> {
  const { rowCount } = await forOrganization(pool, organizationId).query(
    `delete from attachments where post_id = $1 and organization_id = $2 and not is_confirmed`,
    [postId, organizationId],
  )
  return { released: rowCount ?? 0 }
}

/** The post that holds a file, one that certainly exists before one that may not. */
export async function holderOf(client: PoolClient, mediaId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ post_id: string }>(
    `select post_id from attachments where media_id = $1 order by is_confirmed desc, attached_at limit 1`,
    [mediaId],
  )
  return rows[0]?.post_id
}

/**
 * A post holds its files from now on (`holds`), or not any more. What was said of the post later stays: an event
 * that comes again, or late, changes nothing.
 */
export async function followPost(
  pool: Pool,
  news: { organizationId: string; postId: string; sequence: number; holds: boolean },
): Promise<void> {
  const { organizationId, postId, sequence, holds } = news
  await forOrganization(pool, organizationId).query({
    name: holds ? 'confirm_attachments' : 'end_attachments',
    text: `with news as (
             insert into followed_posts (post_id, sequence)
             select $1, $2 where exists (select from attachments where post_id = $1)
             on conflict (post_id) do update set sequence = excluded.sequence, at = excluded.at
             where followed_posts.sequence < excluded.sequence returning 1)
           ${holds ? CONFIRM : END} where post_id = $1 and exists (select from news)`,
    values: [postId, sequence],
  })
}

const CONFIRM = 'update attachments set is_confirmed = true'
const END = 'delete from attachments'

/**
 * Asks what became of posts that were about to be created or published again a while ago. Those that wait or are being published keep
 * their files, however late the news of them is; the others never came to be. Answers how many there were.
 */
export async function settleOldAttachments({
  store: { pool },
  posts,
}: Pick<Deps, 'store' | 'posts'>): Promise<number> {
  const { rows } = await acrossOrganizations(pool).query<{ post_id: string }>(
    `select distinct post_id from attachments where not is_confirmed
     and attached_at < clock_timestamp() - make_interval(secs => $1) limit 500`,
    [ASK_AFTER_SECONDS],
  )
  if (rows.length === 0) return 0
  const postIds = rows.map(({ post_id }) => post_id)
  const { data } = await posts.holding({ postIds })
  await acrossOrganizations(pool).query(
    `with in_doubt as materialized (
       select media_id, post_id from attachments where post_id = any($1::text[]) and not is_confirmed
       and attached_at < clock_timestamp() - make_interval(secs => $3) for update),
     kept as (
       update attachments a set is_confirmed = true from in_doubt d
       where (a.media_id, a.post_id) = (d.media_id, d.post_id) and d.post_id = any($2::text[]))
     delete from attachments a using in_doubt d
     where (a.media_id, a.post_id) = (d.media_id, d.post_id) and not d.post_id = any($2::text[])`,
    [postIds, data, ASK_AFTER_SECONDS],
  )
  return rows.length
}

/** Forgets posts whose last news is so old that nothing of them can come again. */
export async function forgetFollowedPosts(pool: Pool): Promise<void> {
  await acrossOrganizations(pool).query(
    `delete from followed_posts where at < clock_timestamp() - interval '30 days'
     and not exists (select from attachments where attachments.post_id = followed_posts.post_id)`,
  )
}
