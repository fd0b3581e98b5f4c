import { expect, test } from 'vitest'
import { NotFound } from '../src/errors.ts'
import { clientOf } from './client.ts'
import { inTurn, type Received, refusal } from './scripted-server.ts'

const PAGES: Record<string, unknown> = {
  first: { data: [{ id: 'post_1' }, { id: 'post_2' }], nextCursor: 'two' },
  two: { data: [], nextCursor: 'three' },
  three: { data: [{ id: 'post_3' }], nextCursor: null },
}
const pages = ({ query }: Received) => ({ body: PAGES[query.cursor ?? 'first'] })
const ids = (items: { id: string }[]) => items.map(({ id }) => id)

test('a list goes through all pages, empty ones too, with the same query', async () => {
  await using client = await clientOf(pages)
  const posts = await all(client.herald.posts.list({ status: 'failed', limit: 2 }))
  expect(ids(posts)).toEqual(['post_1', 'post_2', 'post_3'])
  expect(client.received.map(({ query }) => query)).toEqual([
    { status: 'failed', limit: '2' },
    { status: 'failed', limit: '2', cursor: 'two' },
    { status: 'failed', limit: '2', cursor: 'three' },
  ])
})

test('a page is asked for only when it is needed', async () => {
  await using client = await clientOf(pages)
  const list = client.herald.posts.list()
  expect(client.received).toHaveLength(0)
  for await (const post of list) if (post.id === 'post_2') break
  expect(client.received).toHaveLength(1)
})

test('a list can be read again from its beginning', async () => {
  await using client = await clientOf(pages)
  const list = client.herald.posts.list()
  expect(ids(await all(list))).toEqual(ids(await all(list)))
  expect(client.received).toHaveLength(6)
})

test('a list can be read page by page', async () => {
  await using client = await clientOf(pages)
  const list = client.herald.posts.list()
  const first = await list.page()
  expect(first).toEqual(PAGES.first)
  expect(await list.page(first.nextCursor ?? '')).toEqual(PAGES.two)
  expect(await client.herald.posts.list({ cursor: 'three' }).page()).toEqual(PAGES.three)
})

test('channels, files and what happened to a post are lists too', async () => {
  await using client = await clientOf(() => ({ body: { data: [{ id: 'one' }] } }))
  const { channels, media, posts } = client.herald
  for (const list of [channels.list(), media.list({ q: 'cat' }), posts.events('post_1')])
    expect(await all<unknown>(list)).toEqual([{ id: 'one' }])
})

test('a page that fails ends the list with its error', async () => {
  await using client = await clientOf(inTurn({ body: PAGES.first }, refusal(404, 'not_found')))
  const seen: string[] = []
  const reading = async () => {
    for await (const { id } of client.herald.posts.list()) seen.push(id)
  }
  await expect(reading()).rejects.toThrow(NotFound)
  expect(seen).toEqual(['post_1', 'post_2'])
})

test('a list that leads back to itself ends', async () => {
  await using client = await clientOf(() => ({ body: { data: [], nextCursor: 'same' } }))
  await expect(all(client.herald.posts.list())).rejects.toThrow(/back to itself/)
  expect(client.received).toHaveLength(2)
})

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
