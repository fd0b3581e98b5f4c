import { openDatabase } from '@herald/event-store/database'
import { rebuildProjection } from '@herald/event-store/rebuild'
import type { StreamType } from '@herald/event-store/stream-type'
import { migrateOwn } from '@herald/local/services'
import { temporaryPostgres } from './temporary-postgres.ts'

/** The read models of published posts, each of two channels and five events, made anew from their events. */
const POSTS = 10_000

await using postgres = await temporaryPostgres()
await migrateOwn('posts', postgres.url)
const database = openDatabase<Record<string, never>>({ url: postgres.url, name: 'bench' })
const { pool } = database
await pool.query(
  `insert into streams (stream_id, type, organization_id, version)
   select 'post_' || n, 'post', 'org_bench', 5 from generate_series(1, $1::int) n`,
  [POSTS],
)
const channels = `'[{"channelId": "chan_1", "platform": "MASTODON"}, {"channelId": "chan_2", "platform": "BLUESKY"}]'`
const at = `'2026-01-01T12:00:00.000Z'`
const live = (channel: string) =>
  `jsonb_build_object('channelId', '${channel}', 'platform', 'MASTODON', 'platformPostId', n::text, 'url', 'https://social.example/' || n,
    'publishedAt', ${at}, 'latenessMs', 10, 'attempts', 1)`
await pool.query(
  `insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta)
   select 'post_' || n, version, 'evt_' || n || '_' || version, 'org_bench', type, 3, data, '{}'
   from generate_series(1, $1::int) n, lateral (values
     (1, 'PostScheduled', jsonb_build_object('organizationId', 'org_bench', 'createdAt', ${at}, 'source', 'api',
       'actor', 'bench', 'content', repeat('x', 280), 'platformContent', '{}'::jsonb, 'options', '{}'::jsonb,
       'media', '[]'::jsonb, 'scheduledAt', ${at}, 'channels', ${channels}::jsonb)),
     (2, 'PublishStarted', jsonb_build_object('generation', 2, 'scheduledAt', ${at}, 'startedAt', ${at},
       'latenessMs', 3, 'channels', ${channels}::jsonb)),
     (3, 'ChannelPublished', ${live('chan_1')}), (4, 'ChannelPublished', ${live('chan_2')}),
     (5, 'PostPublished', '{"published": 2, "failed": 0}'::jsonb)) as event (version, type, data)`,
  [POSTS],
)
// Services export nothing, so it is loaded by its place in the tree.
const place = new URL('../services/posts/src/post-stream.ts', import.meta.url)
const { postStream } = (await import(place.href)) as { postStream: StreamType<never, never, never> }
for (const round of ['the first time', 'again']) {
  const started = performance.now()
  await rebuildProjection(pool, postStream)
  const seconds = (performance.now() - started) / 1000
  console.log(`${round}: ${Math.round((POSTS * 5) / seconds)} events a second`)
}
await database.close()
