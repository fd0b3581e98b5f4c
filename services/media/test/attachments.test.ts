import { setImmediate as turn } from 'node:timers/promises'
import { unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { onPostEvent } from '../src/on-post-event.ts'
import { letPass, mediaWorld, refusalOf, uploaded, type World } from './world.ts'

function attach(
  world: World,
  mediaIds: string[],
  postId = newId('post'),
  organizationId = world.own,
) {
  return world.handlers.attach({ organizationId, postId, mediaIds })
}

function postEvent(world: World, postId: string, type: string, sequence: number): CloudEvent {
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/posts',
    type,
    subject: postId,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid: world.own,
    sequence,
    data: { postId },
  }
}

const happens = (world: World, postId: string, type: string, sequence: number) =>
  onPostEvent(world.pool, postEvent(world, postId, type, sequence))

const heldBy = (postId: string) => ({ code: 'conflict', status: 409, details: { postId } })

describe('attaching', () => {
  test('answers what posts need to know of the files, in the order asked', async () => {
    await using world = await mediaWorld()
    const [one, two] = [await uploaded(world), await uploaded(world)]
    const { data, goodForMs } = await attach(world, [two.id, one.id])
    expect(data.map(({ id }) => id)).toEqual([two.id, one.id])
    expect(data[0]).toEqual({
      id: two.id,
      type: 'image',
      mimeType: 'image/png',
      sizeBytes: two.sizeBytes,
      width: 4,
      height: 3,
      durationSeconds: null,
      altText: null,
      url: two.url,
    })
    expect(goodForMs).toBe(60_000)
  })

  test('100, 101, 102, 103: 422 with the same words for a file of others, pending, failed, deleted and unknown', async () => {
    await using world = await mediaWorld()
    const foreign = await uploaded(world, undefined, {}, world.caller(newId('organization')))
    const { media: pending } = await world.announce()
    const { media: failed } = await world.announce()
    const deleted = await uploaded(world)
    await world.remove(deleted.id)
    const own = await uploaded(world)
    await world.pool.query(
      `update media set expires_at = now() - interval '1 hour' where id = $1`,
      [failed.id],
    )
    world.clock.offsetMs = 3_600_000
    await world.sweep()
    world.clock.offsetMs = 0
    for (const id of [foreign.id, pending.id, failed.id, deleted.id, newId('media'), 'nonsense']) {
      const refusal = await refusalOf(attach(world, [own.id, id]))
      expect(refusal.toBody()).toEqual({
        code: 'validation_failed',
        message: 'The post names a file that is not in your library.',
        details: {
          issues: [{ path: 'mediaIds.1', message: 'is not a ready file of your media library' }],
        },
      })
    }
    expect((await world.pool.query('select from attachments')).rowCount).toBe(0)
    await world.pool
      .query(
        "update media set expires_at = (select at from events where stream_id = id and version = 1) + interval '15 minutes' where id = $1",
        [failed.id],
      )
      .catch(() => undefined)
    await world.remove(failed.id)
  })

  test('the same files to the same post again changes nothing', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const postId = newId('post')
    expect(await attach(world, [id], postId)).toEqual(await attach(world, [id], postId))
    expect((await world.pool.query('select from attachments')).rowCount).toBe(1)
  })
})

describe('deleting', () => {
  test('200: a file that no post holds', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    expect(await world.remove(id)).toEqual({ id, deleted: true })
    expect(await refusalOf(world.get(id))).toMatchObject({ code: 'not_found', status: 404 })
    expect(await refusalOf(world.remove(id))).toMatchObject({ code: 'not_found', status: 404 })
  })

  test('245: 200 for a pending upload', async () => {
    await using world = await mediaWorld()
    const { media } = await world.announce()
    await world.remove(media.id)
    expect(await refusalOf(world.get(media.id))).toMatchObject({ code: 'not_found' })
  })

  test('242: 409 with the post while one holds it, and nothing is changed', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const postId = newId('post')
    await attach(world, [media.id], postId)
    await happens(world, postId, 'PostScheduled', 1)
    expect(await refusalOf(world.remove(media.id))).toMatchObject(heldBy(postId))
    expect(await world.get(media.id)).toEqual(media)
    expect((await fetch(media.url!)).status).toBe(200)
  })

  test('242: the post is not named to a key that cannot see it', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    await attach(world, [id])
    const limited = world.caller(world.own, [newId('channel')])
    expect((await refusalOf(world.remove(id, limited))).toBody()).toEqual({
      code: 'conflict',
      message: 'The file is attached to a post that is not published yet.',
    })
  })

  test('404 for a file of another organization', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const other = world.caller(newId('organization'))
    expect(await refusalOf(world.remove(id, other))).toMatchObject({ code: 'not_found' })
    expect((await world.get(id)).status).toBe('ready')
  })

  test('246: takes bytes, thumbnail and search entry with it', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await world.remove(media.id)
    expect((await fetch(media.url!)).status).toBe(404)
    expect((await fetch(media.thumbnailUrl!)).status).toBe(404)
    expect((await world.list({ q: 'picture' })).data).toEqual([])
    await world.clean()
    await letPass(world, '36 minutes')
    await world.clean()
    expect(await world.objects()).toEqual([])
  })
})

describe('243: a post holds its files', () => {
  test.each(['PostPublished', 'PostFailed', 'PostCancelled', 'PostRemoved'])(
    'until %s',
    async (end) => {
      await using world = await mediaWorld()
      const { id } = await uploaded(world)
      const postId = newId('post')
      await attach(world, [id], postId)
      await happens(world, postId, 'PostScheduled', 1)
      await happens(world, postId, 'PublishStarted', 2)
      expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(postId))
      await happens(world, postId, end, 3)
      await world.remove(id)
    },
  )

  test('however often and in whatever order the news of it come', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const postId = newId('post')
    await attach(world, [id], postId)
    await happens(world, postId, 'PostScheduled', 1)
    await happens(world, postId, 'PostFailed', 4)
    // The post is sent again.
    await attach(world, [id], postId)
    await happens(world, postId, 'PostFailed', 4)
    await happens(world, postId, 'PostScheduled', 1)
    expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(postId))
    for (let time = 0; time < 5; time++) await happens(world, postId, 'PostPublished', 9)
    await world.remove(id)
  })

  test('as long as any other post does', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const [one, two] = [newId('post'), newId('post')]
    await attach(world, [id], one)
    await attach(world, [id], two)
    await happens(world, one, 'PostScheduled', 1)
    await happens(world, two, 'PostScheduled', 1)
    await happens(world, one, 'PostPublished', 2)
    expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(two))
  })

  test('an event that cannot be written is handled again later', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const postId = newId('post')
    await attach(world, [id], postId)
    const broken = { query: async () => Promise.reject(new Error('away')) } as never
    await expect(
      onPostEvent(broken, postEvent(world, postId, 'PostScheduled', 1)),
    ).rejects.toMatchObject({ status: 503 })
  })
})

test('news of a post that has no files from the beginning cost no statement, and lose no hold', async () => {
  await using world = await mediaWorld()
  const { id } = await uploaded(world)
  const postId = newId('post')
  const none = { query: async () => Promise.reject(new Error('asked')) } as never
  const scheduled = postEvent(world, newId('post'), 'PostScheduled', 1)
  await onPostEvent(none, { ...scheduled, data: { mediaIds: [] } })
  await attach(world, [id], postId)
  const withFile = postEvent(world, postId, 'PostScheduled', 1)
  await onPostEvent(world.pool, { ...withFile, data: { mediaIds: [id] } })
  expect(await world.handlers.release({ organizationId: world.own, postId })).toEqual({
    released: 0,
  })
})

describe('an attachment of a post that is not committed', () => {
  test('ends when it is released, and a committed one does not', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const postId = newId('post')
    await attach(world, [id], postId)
    expect(await world.handlers.release({ organizationId: world.own, postId })).toEqual({
      released: 1,
    })
    await attach(world, [id], postId)
    await happens(world, postId, 'PostScheduled', 1)
    expect(await world.handlers.release({ organizationId: world.own, postId })).toEqual({
      released: 0,
    })
    expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(postId))
  })

  test('ends by itself after a while', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    await attach(world, [id])
    expect(await world.sweep()).toMatchObject({ settled: 0 })
    expect(await refusalOf(world.remove(id))).toMatchObject({ code: 'conflict' })
    await letPass(world, '3 minutes')
    expect(await world.sweep()).toMatchObject({ settled: 1 })
    await world.remove(id)
  })

  test('stays when the post exists after all, and the news of it are late', async () => {
    await using world = await mediaWorld()
    const { id } = await uploaded(world)
    const postId = newId('post')
    world.postsHolding.add(postId)
    await attach(world, [id], postId)
    await letPass(world, '3 minutes')
    await world.sweep()
    await letPass(world, '3 days')
    await world.sweep()
    expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(postId))
  })

  test('stays while the posts service cannot be asked', async () => {
    await using world = await mediaWorld({
      deps: ({ posts }) => ({
        posts: { ...posts, holding: async () => Promise.reject(unavailable()) },
      }),
    })
    const { id } = await uploaded(world)
    const postId = newId('post')
    await attach(world, [id], postId)
    await letPass(world, '3 minutes')
    await world.sweep()
    expect(await refusalOf(world.remove(id))).toMatchObject(heldBy(postId))
  })
})

test('103, 244: of attaching and deleting at the same time exactly one succeeds, 200 times', async () => {
  await using world = await mediaWorld({ connections: 20 })
  const bytes = { fileSize: 10 }
  const ready = await uploaded(world)
  for (let run = 0; run < 200; run++) {
    // A ready file without the work of making one: a copy of the events of one that was made.
    const id = await copyOf(world, ready.id)
    const delayed = async (turns: number, call: () => Promise<unknown>) => {
      for (let turns_ = turns; turns_ > 0; turns_--) await turn()
      return call()
    }
    const [attached, removed] = await Promise.allSettled([
      delayed(run % 7, () => attach(world, [id])),
      delayed(run % 5, () => world.remove(id)),
    ])
    expect([attached.status, removed.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    if (attached.status === 'fulfilled') {
      expect(removed).toMatchObject({ reason: { code: 'conflict', status: 409 } })
      expect((await world.get(id)).status).toBe('ready')
    } else {
      expect(attached.reason).toMatchObject({ code: 'validation_failed', status: 422 })
    }
  }
  expect(bytes.fileSize).toBe(10)
})

/** A file with the same story under another id. */
async function copyOf({ pool }: World, id: string): Promise<string> {
  const copy = newId('media')
  await pool.query(
    `with stream as (
       insert into streams (stream_id, type, organization_id, version)
       select $2, type, organization_id, version from streams where stream_id = $1),
     copied as (
       insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta)
       select $2, version, $3 || version, organization_id, type, schema_version,
              replace(replace(data::text, 'files/', 'files/' || $4), 'thumbnails/', 'thumbnails/' || $4)::jsonb, meta
       from events where stream_id = $1)
     insert into media
     select (jsonb_populate_record(null::media, to_jsonb(m) || jsonb_build_object('id', $2::text,
       'object_key', replace(object_key, 'files/', 'files/' || $4),
       'thumbnail_key', replace(thumbnail_key, 'thumbnails/', 'thumbnails/' || $4)))).* from media m where id = $1`,
    [id, copy, newId('event'), copy.slice(4)],
  )
  return copy
}
