import { z } from 'zod'

/** Longest text that any part of a post may have, before a platform's own limit is looked at. */
export const MAX_TEXT = 100_000

/** Text that Postgres can store: no NUL and no half of a surrogate pair. */
export const Text = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => !text.includes('\u0000'), 'contains a NUL character')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

/** The address of a web page as a platform may be given it. */
export const WebLink = z.url({ protocol: /^https?$/, hostname: z.regexes.domain }).max(2048)
