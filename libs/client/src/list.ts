import type { Connection } from './connection.ts'
import { type Call, type CallOptions, send } from './send.ts'

export type Page<Item> = { data: Item[]; nextCursor: string | null }

/** A list that fetches its pages as it is read; each `for await` begins anew. */
export type List<Item> = AsyncIterable<Item> & {
  /** One page: the first, or the one after the page with this `nextCursor`. */
  page: (cursor?: string) => Promise<Page<Item>>
}

/** The list at a path. Nothing is asked before it is read. */
export function listAt<Item>(
  connection: Connection,
  path: string,
  query: Call['query'] = {},
  options: CallOptions = {},
): List<Item> {
  const page = async (cursor?: string): Promise<Page<Item>> => {
    const asked = cursor === undefined ? query : { ...query, cursor }
    const answer = await send<{ data: Item[]; nextCursor?: string | null }>(connection, {
      ...options,
      method: 'GET',
      path,
      query: asked,
    })
    return { data: answer.data, nextCursor: answer.nextCursor ?? null }
  }
  return { page, [Symbol.asyncIterator]: () => items(page) }
}

async function* items<Item>(page: List<Item>['page']): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined
  do {
    const { data, nextCursor } = await page(cursor)
    yield* data
    // A list that led back to the same page would never end.
    if (nextCursor !== null && nextCursor === cursor)
      throw new Error('The list leads back to itself.')
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
}
