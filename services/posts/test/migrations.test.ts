import { openDatabase } from '@herald/event-store/database'
import { runMigrations } from '@herald/event-store/migrate'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { checkProjection } from '@herald/event-store/rebuild'
import { testDatabase } from '@herald/testing/database'
import { expect, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { POSTS_MIGRATIONS } from '../src/migrations/0001-posts.ts'
import { POST_MEDIA_MIGRATION } from '../src/migrations/0002-post-media.ts'
import { postStream } from '../src/post-stream.ts'
import { postsWorld } from './world.ts'

test('channels of posts that were there before get the organization of their post', async () => {
  await using world = await postsWorld()
  const { id } = await world.create()
  await using old = await testDatabase('posts_before_organizations', (url) =>
    runMigrations(url, EVENT_STORE_MIGRATIONS, POSTS_MIGRATIONS, POST_MEDIA_MIGRATION),
  )
  const owner = openDatabase({ url: old.ownerUrl, name: 'test' })
  const service = openDatabase({ url: old.url, name: 'test' })
  for (const table of ['streams', 'events', 'posts', 'post_channels', 'due']) {
    const { rows } = await world.pool.query<{ rows: unknown }>(
      `select jsonb_agg(t) as rows from ${table} t`,
    )
    await owner.pool.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows[0]?.rows)],
    )
  }
  await migrate(old.ownerUrl)
  const { rows } = await owner.pool.query('select post_id, organization_id from post_channels')
  expect(rows).toEqual([{ post_id: id, organization_id: world.own.id }])
  expect(await checkProjection(service.pool, postStream)).toEqual({ streams: 1, mismatches: [] })
  await Promise.all([owner.close(), service.close()])
})
