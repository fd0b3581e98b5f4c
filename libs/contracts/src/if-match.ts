import { z } from 'zod'

/** The condition of a change: the tags of `If-Match` with their quotes, any of which will do, or `*`. */
export const IfMatch = z.union([z.literal('*'), z.array(z.string())])
export type IfMatch = z.infer<typeof IfMatch>
