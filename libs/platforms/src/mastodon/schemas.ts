import { z } from 'zod'

/** Mastodon's account, as far as Herald reads it. */
export const Account = z.object({
  id: z.string(),
  username: z.string(),
  display_name: z.string().default(''),
  avatar: z.string().nullable().optional(),
})

/** The limits that an instance states of itself. */
export const Instance = z.object({
  configuration: z
    .object({
      statuses: z
        .object({
          max_characters: z.int().positive().optional(),
          max_media_attachments: z.int().nonnegative().optional(),
        })
        .optional(),
    })
    .optional(),
})

/** A status that is live. */
export const Status = z.object({
  id: z.string().min(1),
  url: z.url({ protocol: /^https?$/ }),
  created_at: z.iso.datetime({ offset: true }),
  content: z.string().default(''),
  spoiler_text: z.string().default(''),
})
export type Status = z.infer<typeof Status>

export const Statuses = z.array(Status)
export const ErrorBody = z.object({ error: z.string() })
