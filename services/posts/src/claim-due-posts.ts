import { newId } from '@herald/contracts/ids'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'

export type Claim = {
  /** How many posts started. */
  started: number
  /** Milliseconds until the next post is due; null when none waits. */
  nextInMs: number | null
}

/**
 * Starts the publishing of at most `limit` due posts, oldest first, in one statement: it locks their rows, bumps
 * their streams, appends `PublishStarted` with its outbox row, and moves the read model. The database's clock
 * decides what is due.
 *
 * It never waits for a lock: a post that is being edited or deleted at this moment is skipped and found again a
 * moment later, so the claim cannot deadlock with an edit, which locks the stream first and the due row after. A due
 * row whose version is not the stream's stays where it is, for the sweep to repair and count.
 */
export async function claimDuePosts(pool: Pool, limit: number): Promise<Claim> {
  const eventIds = Array.from({ length: limit }, () => newId('event'))
  const { rows } = await acrossOrganizations(pool).query<{
    started: number
    next_in_ms: number | null
  }>({
    name: 'claim_due_posts',
    text: CLAIM,
    values: [limit, eventIds],
  })
  return { started: rows[0]?.started ?? 0, nextInMs: rows[0]?.next_in_ms ?? null }
}

const CLAIM = `
  with claimed as materialized (
    select d.post_id, d.organization_id, d.publish_at, d.channels, row_number() over () as position
    from (
      select d.post_id, d.organization_id, d.publish_at, d.channels
      from due d join streams s on s.stream_id = d.post_id and s.version = d.version
      where d.publish_at <= now()
      order by d.publish_at limit $1
      for update of d, s skip locked) d),
  started as (
    update streams s set version = s.version + 1 from claimed c where s.stream_id = c.post_id
    returning s.stream_id, s.version, c.organization_id, c.publish_at, c.channels, c.position),
  new_events as (
    insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta, at)
    select stream_id, version, ($2::text[])[position], organization_id, 'PublishStarted', 3,
           jsonb_build_object(
             'generation', version, 'scheduledAt', iso(publish_at), 'startedAt', iso(moment.at), 'channels', channels,
             'latenessMs', (extract(epoch from moment.at - publish_at) * 1000)::bigint),
           jsonb_strip_nulls(jsonb_build_object('actor', 'scheduler', 'traceparent', (
             select meta -> 'traceparent' from events e
             where e.stream_id = started.stream_id and e.version = started.version - 1))), moment.at
    from started, (select clock_timestamp() as at offset 0) as moment
    returning stream_id, version),
  queued as (
    insert into outbox (stream_id, version) select stream_id, version from new_events),
  moved_posts as (
    update posts p set status = 'publishing', version = s.version from started s where p.id = s.stream_id),
  moved_channels as (
    update post_channels c set status = 'publishing' from started s
    where c.post_id = s.stream_id and c.status = 'draft'),
  no_longer_due as (
    delete from due d using started s where d.post_id = s.stream_id)
  select (select count(*)::int from started) as started,
         (select extract(epoch from min(publish_at) - clock_timestamp())::float8 * 1000
          from due where publish_at > now()) as next_in_ms`
