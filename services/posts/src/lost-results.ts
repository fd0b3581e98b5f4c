import { type CloudEvent, eventSubject } from '@herald/contracts/events'
import { POST_EVENT_DATA } from '@herald/contracts/post-events'
import type { LivePost } from '@herald/contracts/posts'
import type { Pool } from '@herald/event-store/database'
import { forOrganization } from '@herald/event-store/organization'

/** All public events of posts. */
export const POST_EVENTS = eventSubject('post', '*', '*')

/** A channel of a post on which a call may have been made in lost time; `live` when it is known to have succeeded. */
export type LostResult = {
  post_id: string
  channel_id: string
  organization_id: string
  live: LivePost | null
}

/** What events that only the bus has tell of calls, one for each post and channel. */
export function lostResults(events: readonly CloudEvent[]): LostResult[] {
  const found = new Map<string, LostResult>()
  const add = (event: CloudEvent, channelId: string, live: LivePost | null) => {
    const key = `${event.subject} ${channelId}`
    found.set(key, {
      post_id: event.subject,
      channel_id: channelId,
      organization_id: event.organizationid,
      live: live ?? found.get(key)?.live ?? null,
    })
  }
  for (const event of events) {
    if (event.type === 'PublishStarted')
      for (const { channelId } of POST_EVENT_DATA.PublishStarted.parse(event.data).channels)
        add(event, channelId, null)
    if (event.type === 'ChannelPublished') {
      const { channelId, platformPostId, url, publishedAt } =
        POST_EVENT_DATA.ChannelPublished.parse(event.data)
      add(event, channelId, { platformPostId, url, publishedAt })
    }
  }
  return [...found.values()]
}

type Start = { organizationId: string; postId: string; generation: number }

/**
 * Whether a post may have been published in time that a restore has lost: it was there before the restore, was due by
 * then or was started according to the bus, and no start after the restore came before this one.
 */
export async function findLost(
  pool: Pool,
  { organizationId, postId, generation }: Start,
): Promise<{ since: string | null; live: Map<string, LivePost> }> {
  const { rows } = await forOrganization(pool, organizationId).query<{
    since: string
    live: Record<string, LivePost> | null
  }>({
    name: 'find_lost',
    text: `select greatest(r.since, p.created_at) as since, lost.live
           from posts p join restores r on r.at >= p.created_at, lateral (
             select count(*) as starts,
                    jsonb_object_agg(l.channel_id, l.live) filter (where l.live is not null) as live
             from lost_results l where l.post_id = p.id) lost
           where p.id = $1 and (p.scheduled_at <= r.until or lost.starts > 0)
             and not exists (
               select from events e where e.stream_id = p.id and e.type = 'PublishStarted'
                 and e.at > r.at and e.version < $2)
           order by r.at desc limit 1`,
    values: [postId, generation],
  })
  const [row] = rows
  return { since: row?.since ?? null, live: new Map(Object.entries(row?.live ?? {})) }
}
