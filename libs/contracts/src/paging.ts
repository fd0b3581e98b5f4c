import { z } from 'zod'

/** How many items a page holds: 1 to 100, 25 unless asked (specification, "Limits"). */
export const PageLimit = z.int().min(1).max(100).default(25)

/** The same in a query, where it is text. */
export const ListLimit = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, 'must be an integer from 1 to 100')
  .transform(Number)
  .pipe(z.int().min(1).max(100))
  .optional()
  .meta({ description: 'How many items a page holds, 25 unless given.' })

/** The `nextCursor` of the page before, in a query. */
export const WrittenCursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1000}$/, 'is not a cursor')
  .optional()
  .meta({ description: 'The `nextCursor` of the previous page, with the same filters.' })

/** A page of a list: the items and the cursor of the next page, null on the last one. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() })
}
