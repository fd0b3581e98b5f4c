import { createHash } from 'node:crypto'
import { AppError } from '@herald/contracts/errors'
import { z } from 'zod'

/** Where a page ended: the creation time and id of its last item. */
export type Position = { createdAt: string; id: string }

const Cursor = z.tuple([z.iso.datetime(), z.string(), z.string()])

/**
 * The cursor of the page after a position. It carries a checksum over the position and over what the list is of
 * (`scope`: organization, list and filters), so a cursor that was changed or belongs to another list is refused.
 */
export function toCursor(position: Position, scope: unknown): string {
  const { createdAt, id } = position
  const cursor = [createdAt, id, checksum(position, scope)]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** The position in a cursor; 422 when it was not made for this list. */
export function fromCursor(cursor: string, scope: unknown): Position {
  const parsed = Cursor.safeParse(parse(Buffer.from(cursor, 'base64url').toString()))
  if (parsed.success) {
    const [createdAt, id, sum] = parsed.data
    const position = { createdAt, id }
    if (sum === checksum(position, scope) && toCursor(position, scope) === cursor) return position
  }
  throw new AppError('validation_failed', 'The cursor is not one of this list.', {
    details: { issues: [{ path: 'cursor', message: 'is not a cursor of this list' }] },
  })
}

function checksum({ createdAt, id }: Position, scope: unknown): string {
  const text = JSON.stringify([1, createdAt, id, scope])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
