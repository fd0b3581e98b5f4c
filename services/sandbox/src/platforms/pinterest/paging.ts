import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { refuseInvalid } from './refusals.ts'

const DEFAULT_SIZE = 25
const MAX_SIZE = 250

/** One page of a list, and the bookmark of the next one. */
export function pageAnswer<Item>(
  { query }: Call,
  items: readonly Item[],
  view: (item: Item) => unknown,
): Answer {
  const size = Number(query.get('page_size') ?? DEFAULT_SIZE)
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    refuseInvalid(`'page_size' is not between 1 and ${MAX_SIZE}`)
  const bookmark = query.get('bookmark')
  const from = bookmark === null ? 0 : Number(Buffer.from(bookmark, 'base64url').toString())
  if (!Number.isInteger(from)) refuseInvalid("'bookmark' is not valid")
  const next = from + size
  return jsonAnswer(200, {
    items: items.slice(from, next).map(view),
    bookmark: next < items.length ? Buffer.from(String(next)).toString('base64url') : null,
  })
}
