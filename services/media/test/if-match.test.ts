import { newId } from '@herald/contracts/ids'
import type { IfMatch } from '@herald/contracts/if-match'
import { handle } from '@herald/event-store/handle'
import { etagOf } from '@herald/service/etag'
import { describe, expect, test } from 'vitest'
import { mediaStream } from '../src/media-stream.ts'
import { mediaWorld, refusalOf, uploaded, type World } from './world.ts'

const MISMATCH = { status: 412, code: 'conflict', details: { reason: 'etag_mismatch' } }

const remove = (world: World, mediaId: string, ifMatch: IfMatch) =>
  world.handlers.remove({ caller: world.caller(), mediaId, ifMatch })
const describeFile = (world: World, mediaId: string, description: string) =>
  handle(
    world.deps.store,
    mediaStream,
    mediaId,
    { type: 'Describe', description },
    { organizationId: world.own, meta: {} },
  )

describe('a deletion under If-Match', () => {
  test('takes place when the tag is the file’s, ready or pending', async () => {
    await using world = await mediaWorld()
    const ready = await uploaded(world)
    expect(await remove(world, ready.id, [etagOf(ready)])).toEqual({ id: ready.id, deleted: true })
    const { media } = await world.announce()
    expect(await remove(world, media.id, '*')).toEqual({ id: media.id, deleted: true })
    expect(await world.used()).toBe(0)
  })

  test('412: does not when the file got its description meanwhile, and the file stays', async () => {
    await using world = await mediaWorld()
    const read = await uploaded(world)
    await describeFile(world, read.id, 'A square')
    expect(await refusalOf(remove(world, read.id, [etagOf(read)]))).toMatchObject(MISMATCH)
    expect(await refusalOf(remove(world, read.id, []))).toMatchObject(MISMATCH)
    const described = await world.get(read.id)
    expect(described.description).toBe('A square')
    expect(await remove(world, read.id, [etagOf(described)])).toMatchObject({ deleted: true })
  })

  test('412: does not when the upload has failed by time alone', async () => {
    await using world = await mediaWorld()
    const { media } = await world.announce()
    world.clock.offsetMs = 900_000
    expect(await refusalOf(remove(world, media.id, [etagOf(media)]))).toMatchObject(MISMATCH)
    const failed = await world.get(media.id)
    expect(failed.status).toBe('failed')
    expect(etagOf(failed)).not.toBe(etagOf(media))
    expect(await remove(world, media.id, [etagOf(failed)])).toMatchObject({ deleted: true })
  })

  test('404: of a file that is not there, another organization’s too', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const input = { mediaId: media.id, ifMatch: [etagOf(media)] }
    const foreign = { caller: world.caller(newId('organization')), ...input }
    expect(await refusalOf(world.handlers.remove(foreign))).toMatchObject({ status: 404 })
  })
})

test('of a deletion and a description at the same time the first wins: a mismatch, or no file to describe', async () => {
  await using world = await mediaWorld()
  for (let run = 0; run < 20; run++) {
    const read = await uploaded(world)
    const [deleted, described] = await Promise.allSettled([
      remove(world, read.id, [etagOf(read)]),
      describeFile(world, read.id, 'A square'),
    ])
    expect(described.status).toBe('fulfilled')
    if (deleted.status === 'rejected') {
      expect(deleted.reason).toMatchObject(MISMATCH)
      expect((await world.get(read.id)).description).toBe('A square')
    } else expect(await refusalOf(world.get(read.id))).toMatchObject({ status: 404 })
  }
})

test('the tag of an answer is that of a look at the file after', async () => {
  await using world = await mediaWorld()
  const { media } = await world.announce()
  expect(etagOf(await world.get(media.id))).toBe(etagOf(media))
  const ready = await uploaded(world)
  expect(etagOf(await world.get(ready.id))).toBe(etagOf(ready))
  await describeFile(world, ready.id, 'A square')
  expect(etagOf(await world.get(ready.id))).not.toBe(etagOf(ready))
})
