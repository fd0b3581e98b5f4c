import { z } from 'zod'

/** How many items a page holds: 1 to 100, 25 unless asked (specification, "Limits"). */
export const PageLimit = z.int().min(1).max(100).default(25)

/** A page of a list: the items and the cursor of the next page, null on the last one. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() })
}
