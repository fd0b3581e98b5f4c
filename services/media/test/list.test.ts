import { setImmediate as turn } from 'node:timers/promises'
import { newId } from '@herald/contracts/ids'
import { ListMediaQuery, type Media, type MediaFilter } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { handle } from '@herald/event-store/handle'
import { describe, expect, test } from 'vitest'
import { mediaStream } from '../src/media-stream.ts'
import { listDoor, listQuery } from '../src/queries.ts'
import { SAMPLES, type Ending } from './samples.ts'
import { mediaWorld, refusalOf, uploaded, type World } from './world.ts'

type Query = { type?: MediaFilter; q?: string; limit?: number; cursor?: string }

const page = (world: World, query: Query = {}, caller: Caller = world.caller()) =>
  world.handlers.list({ caller, limit: 100, ...query })

const namesOf = ({ data }: { data: Media[] }) => data.map(({ fileName }) => fileName)

/** A ready file without the work of making one: the event of its import. */
async function aFile(
  world: World,
  facts: { fileName?: string; altText?: string; organizationId?: string; type?: 'image' } = {},
): Promise<string> {
  const id = newId('media')
  const { organizationId = world.own, fileName = 'file.png', altText = null } = facts
  const file = {
    type: 'image',
    mimeType: 'image/png',
    sizeBytes: 10,
    width: 1,
    height: 1,
    durationSeconds: null,
    pages: null,
    isAnimated: false,
    sha256: 'a'.repeat(64),
    objectKey: `files/${id}`,
    thumbnailKey: null,
  } as const
  const createdAt = new Date(world.deps.now()).toISOString()
  const command = {
    type: 'ImportMedia',
    organizationId,
    createdAt,
    actor: 'test',
    fileName,
    altText,
  } as const
  await handle(
    world.deps.store,
    mediaStream,
    id,
    { ...command, file },
    {
      organizationId,
      meta: { actor: 'test' },
      isNew: true,
    },
  )
  return id
}

async function describeFile(world: World, id: string, description: string): Promise<void> {
  await handle(
    world.deps.store,
    mediaStream,
    id,
    { type: 'Describe', description },
    {
      organizationId: world.own,
      meta: { actor: 'describer' },
    },
  )
}

describe('the list', () => {
  test('holds ready files of the own organization only, newest first', async () => {
    await using world = await mediaWorld()
    const first = await uploaded(world, undefined, { fileName: 'first.png' })
    await aFile(world, { organizationId: newId('organization') })
    const deleted = await aFile(world)
    await world.remove(deleted)
    const second = await uploaded(world, undefined, { fileName: 'second.png' })
    await world.announce({ fileName: 'pending.png' })
    expect(await page(world)).toEqual({ data: [second, first], nextCursor: null })
  })

  test.each<[MediaFilter | undefined, Ending[]]>([
    ['image', ['png', 'jpg']],
    ['video', ['mp4']],
    ['document', ['pdf']],
    ['media', ['mp4', 'gif', 'png', 'jpg']],
    [undefined, ['pdf', 'mp4', 'gif', 'png', 'jpg']],
  ])('type=%s gives %j', async (type, endings) => {
    await using world = await mediaWorld()
    for (const [ending, mimeType] of [
      ['jpg', 'image/jpeg'],
      ['png', 'image/png'],
      ['gif', 'image/gif'],
      ['mp4', 'video/mp4'],
      ['pdf', 'application/pdf'],
    ] as const)
      await uploaded(world, SAMPLES[ending], { fileName: `a.${ending}`, mimeType })
    const found = await page(world, type && { type })
    expect(namesOf(found)).toEqual(endings.map((ending) => `a.${ending}`))
  })

  test.each(['audio', 'gif', 'MEDIA', '', 'image,video'])(
    '240: type=%s is refused by the query of the list',
    (type) => {
      expect(ListMediaQuery.safeParse({ type }).success).toBe(false)
    },
  )
})

describe('a search', () => {
  const FILES = [
    { fileName: 'Sunset over the Harbour.png', altText: 'Boats at dusk' },
    { fileName: 'Größe.png', altText: 'ＷＩＤＥ letters' },
    { fileName: 'IMG_0001.png', altText: '100% wool' },
    { fileName: 'IMGX0001.png', altText: "it's a & !b | (c) <-> *:*" },
    { fileName: 'back.png', altText: 'a\\b "quoted"' },
    { fileName: '😀😀.png', altText: 'Ünïcödé' },
  ]
  test.each<[string, string[]]>([
    ['sunset', ['Sunset over the Harbour.png']],
    ['HARBOUR boats', ['Sunset over the Harbour.png']],
    ['dusk   sunset\tover', ['Sunset over the Harbour.png']],
    ['sunset wool', []],
    ['arbou', ['Sunset over the Harbour.png']],
    ['grösse', []],
    ['GRÖßE', ['Größe.png']],
    ['wide', ['Größe.png']],
    ['img_0001', ['IMG_0001.png']],
    ['%', ['IMG_0001.png']],
    ['_', ['IMG_0001.png']],
    ['\\', ['back.png']],
    ['\\%', []],
    ["'", ['IMGX0001.png']],
    ['"quoted"', ['back.png']],
    ['a & !', ['IMGX0001.png']],
    ['*:*', ['IMGX0001.png']],
    ['(c) <->', ['IMGX0001.png']],
    ["'; drop table media; --", []],
    ['😀', ['😀😀.png']],
    ['ünïcödé', ['😀😀.png']],
    ['sunset\nboats', ['Sunset over the Harbour.png']],
  ])('238: for %j finds %j', async (q, names) => {
    await using world = await mediaWorld()
    for (const file of FILES) await aFile(world, file)
    expect(namesOf(await page(world, { q }))).toEqual(names)
  })

  test.each(['', '   ', '\n\t'])('for nothing (%j) finds everything', async (q) => {
    await using world = await mediaWorld()
    await aFile(world)
    expect((await page(world, { q })).data).toHaveLength(1)
  })

  test.each<[string, string, boolean]>([
    ['200 characters', 'a'.repeat(200), true],
    ['201 characters', 'a'.repeat(201), false],
    ['200 emoji', '😀'.repeat(200), true],
    ['201 emoji', '😀'.repeat(201), false],
    ['a NUL', 'a\u0000', false],
    ['half a surrogate pair', '\ud83d', false],
    ['100 percent signs', '%'.repeat(100), true],
  ])('238: with %s is allowed: %s', async (_name, q, isAllowed) => {
    expect(ListMediaQuery.safeParse({ q }).success).toBe(isAllowed)
    if (!isAllowed) return
    await using world = await mediaWorld()
    await aFile(world, { fileName: `${q}.png` })
    await aFile(world)
    expect(namesOf(await page(world, { q }))).toEqual([`${q}.png`])
  })

  test('finds a file by its description as soon as it has one', async () => {
    await using world = await mediaWorld()
    const id = await aFile(world)
    expect(namesOf(await page(world, { q: 'lighthouse' }))).toEqual([])
    await describeFile(world, id, 'A LIGHTHOUSE at night.')
    const found = await page(world, { q: 'lighthouse file' })
    expect(found.data).toMatchObject([{ id, description: 'A LIGHTHOUSE at night.' }])
  })

  test('241: never finds what belongs to others', async () => {
    await using world = await mediaWorld()
    await aFile(world, { fileName: 'canary.png', organizationId: newId('organization') })
    for (const q of ['canary', '%', '_', 'png', ''])
      expect((await page(world, { q })).data).toEqual([])
  })

  test('works together with a type, and in pages', async () => {
    await using world = await mediaWorld()
    const ids = []
    for (let index = 0; index < 5; index++) ids.unshift(await aFile(world, { altText: 'cat' }))
    await aFile(world, { altText: 'dog' })
    const query = { q: 'cat', type: 'media', limit: 2 } as const
    const found: string[] = []
    let cursor: string | undefined
    do {
      const { data, nextCursor } = await page(world, { ...query, ...(cursor && { cursor }) })
      found.push(...data.map(({ id }) => id))
      cursor = nextCursor ?? undefined
    } while (cursor)
    expect(found).toEqual(ids)
  })
})

describe('a cursor', () => {
  test('I25: shows each file that stays once, newest first, while others come and go', async () => {
    await using world = await mediaWorld()
    const [staying, going]: [string[], string[]] = [[], []]
    for (let index = 0; index < 60; index++)
      (index % 3 ? staying : going).unshift(await aFile(world))
    let isOver = false
    const changing = (async () => {
      while (!isOver) {
        await aFile(world)
        const next = going.pop()
        if (next) await world.remove(next)
        await turn()
      }
    })()
    const seen: Media[] = []
    let cursor: string | undefined
    do {
      const found = await page(world, { limit: 3, ...(cursor && { cursor }) })
      seen.push(...found.data)
      cursor = found.nextCursor ?? undefined
    } while (cursor)
    isOver = true
    await changing
    const ids = seen.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => staying.includes(id)).toSorted()).toEqual(staying.toSorted())
    const times = seen.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test('tells files of the same moment apart', async () => {
    await using world = await mediaWorld()
    world.deps.now = () => Date.UTC(2026, 10, 21)
    const ids = await Promise.all(Array.from({ length: 7 }, () => aFile(world)))
    const first = await page(world, { limit: 4 })
    const second = await page(world, { limit: 4, cursor: first.nextCursor! })
    const seen = [...first.data, ...second.data].map(({ id }) => id)
    expect(seen).toEqual(ids.toSorted().toReversed())
    expect(second.nextCursor).toBeNull()
  })

  test('128: of a file that is deleted meanwhile goes on behind it', async () => {
    await using world = await mediaWorld()
    const older = await aFile(world)
    const last = await aFile(world)
    const { nextCursor } = await page(world, { limit: 1 })
    await world.remove(last)
    const { data } = await page(world, { limit: 1, cursor: nextCursor! })
    expect(data.map(({ id }) => id)).toEqual([older])
  })

  test('127: is refused when it is of another list, filter or organization, or was changed', async () => {
    await using world = await mediaWorld()
    const other = world.caller(newId('organization'))
    for (let index = 0; index < 3; index++) {
      await aFile(world)
      await aFile(world, { organizationId: other.organizationId })
    }
    const cursor = (await page(world, { limit: 1 })).nextCursor!
    const filtered = (await page(world, { limit: 1, type: 'image' })).nextCursor!
    const searched = (await page(world, { limit: 1, q: 'file' })).nextCursor!
    const foreign = (await page(world, { limit: 1 }, other)).nextCursor!
    const flipped = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
    const refused = [
      '',
      'abc',
      filtered,
      searched,
      foreign,
      flipped,
      cursor.slice(0, -1),
      `${cursor}=`,
    ]
    for (const wrong of refused)
      expect(await refusalOf(page(world, { cursor: wrong }))).toMatchObject({
        code: 'validation_failed',
        status: 422,
        details: { issues: [{ path: 'cursor' }] },
      })
    expect(await refusalOf(page(world, { cursor, type: 'image' }))).toMatchObject({ status: 422 })
    expect(await refusalOf(page(world, { cursor, q: 'file' }))).toMatchObject({ status: 422 })
    expect((await page(world, { cursor, limit: 5 })).data).toHaveLength(2)
  })
})

test('239: with 10,000 files among those of others, indexes answer the list and every search', async () => {
  await using world = await mediaWorld()
  // In parts, because a statement may take 5 s.
  for (let first = 1; first < 20_000; first += 2_000)
    await world.pool.query(
      `insert into media (id, organization_id, version, status, type, mime_type, file_name, size_bytes,
       is_animated, created_at, search)
     select 'many_' || n, case n % 2 when 0 then $1 else 'org_' || n % 10 end, 1, 'ready', 'image',
       'image/png', 'x', 1, false, now() - n * interval '1 second',
       md5(n::text) || ' ' || md5((n + 1)::text) || case n when 5000 then ' harbour' else '' end
     from generate_series($2::int, $2 + 1999) n`,
      [world.own, first],
    )
  await world.pool.query('vacuum analyze media')
  const planOf = async (asked: { q?: string }) => {
    const filter = { organizationId: world.own, limit: 26, ...asked }
    const { sql, parameters } = listQuery(world.database.db, filter).compile()
    const door = listDoor(world.database.pool, filter)
    const { rows } = await door.query(`explain ${sql}`, [...parameters])
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
  }
  expect(await planOf({ q: 'harbour' })).toContain('media_search')
  expect(await planOf({})).toContain('media_newest')
  expect((await page(world, { q: 'harbour' })).data.map(({ id }) => id)).toEqual(['many_5000'])
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index))
  // Beyond 5 s the database gives up, and the call with it.
  for (const q of ['%'.repeat(100), letters.join(' '), 'a%b%c%d%e%'.repeat(20), '😀'.repeat(200)])
    expect((await page(world, { q })).data).toEqual([])
  await world.pool.query('delete from media')
})
