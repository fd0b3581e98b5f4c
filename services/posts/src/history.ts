import type { ChannelRestriction } from '@herald/contracts/channels'
import {
  type Actor,
  ActorKind,
  POST_HISTORY_DATA,
  PostHistoryEvent,
} from '@herald/contracts/post-history'
import type { posts } from '@herald/contracts/posts'
import type { Handlers } from '@herald/contracts/rpc'
import { fromCursor, toCursor } from '@herald/event-store/cursor'
import { forOrganization, type Queryable } from '@herald/event-store/organization'
import type { StoredEvent } from '@herald/event-store/stream-type'
import { requireVisible } from './access.ts'
import type { Deps } from './deps.ts'
import { mayUse } from './view.ts'

type Events = Handlers<typeof posts>['events']

/** What happened to a post, oldest first: what is of the whole post, and what is of the channels that the caller sees. */
export async function listPostEvents(
  deps: Deps,
  { caller, postId, limit, cursor }: Parameters<Events>[0],
): ReturnType<Events> {
  await requireVisible(deps, caller, postId)
  const scope = ['post events', caller.organizationId, caller.channels, postId]
  const after = cursor === undefined ? 0 : Number(fromCursor(cursor, scope).id)
  const door = forOrganization(deps.database.pool, caller.organizationId)
  const found = await findEvents(door, postId, caller.channels, after, limit + 1)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.map((event) => toHistoryEvent(event, caller.channels)),
    nextCursor:
      found.length > limit && last
        ? toCursor({ createdAt: last.at, id: String(last.version) }, scope)
        : null,
  }
}

type FoundEvent = Pick<StoredEvent, 'event_id' | 'version' | 'type' | 'at' | 'meta' | 'data'>

async function findEvents(
  door: Queryable,
  postId: string,
  restriction: ChannelRestriction,
  after: number,
  limit: number,
): Promise<FoundEvent[]> {
  const { rows } = await door.query<FoundEvent>({
    name: 'find_history',
    text: `select event_id, version, type, at, meta, data from events
           where stream_id = $1 and version > $2 and type = any($3::text[])
             and ($4::text[] is null or data ->> 'channelId' is null or data ->> 'channelId' = any($4))
           order by version limit $5`,
    values: [
      postId,
      after,
      Object.keys(POST_HISTORY_DATA),
      restriction === 'all' ? null : restriction,
      limit,
    ],
  })
  return rows
}

/** The contract's schema picks the facts that leave the service, so the post's text stays inside. */
function toHistoryEvent(stored: FoundEvent, restriction: ChannelRestriction): PostHistoryEvent {
  const { channelId = null, channels, ...facts } = stored.data
  const channelIds = Array.isArray(channels) ? visible(channels, restriction) : undefined
  return PostHistoryEvent.parse({
    id: stored.event_id,
    sequence: stored.version,
    type: stored.type,
    at: stored.at,
    actor: toActor(stored.meta.actor),
    channelId,
    data: POST_HISTORY_DATA[stored.type]?.parse({ ...facts, channelIds }),
  })
}

function visible(channels: { channelId: string }[], restriction: ChannelRestriction): string[] {
  return channels.map(({ channelId }) => channelId).filter((id) => mayUse(restriction, id))
}

/** `key:<id>`, `app:<name>`, or the name of a part of Herald. */
function toActor(written = ''): Actor {
  const [kind, id = null] = written.split(/:(.*)/s)
  return { kind: ActorKind.safeParse(kind).data ?? 'herald', id }
}
