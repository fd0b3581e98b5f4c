import { z } from 'zod'
import { addressOf, webAddress } from '../addresses.ts'
import type { Live, PublishInput } from '../platform.ts'

/** A post as the Mastodon API answers it; only what Herald looks at. */
export const Status = z.object({
  id: z.string().min(1),
  url: z.string().nullish(),
  created_at: z.iso.datetime({ offset: true }),
  content: z.string().default(''),
  spoiler_text: z.string().default(''),
  media_attachments: z.array(z.object({ id: z.string() })).default([]),
})
export type Status = z.infer<typeof Status>

/** Where and since when a post is live. An instance that names no address has it at the usual place. */
export function liveOf(status: Status, { baseUrl, username }: PublishInput): Live {
  return {
    platformPostId: status.id,
    url: webAddress(status.url) ?? addressOf(baseUrl, `/@${username}/${status.id}`),
    publishedAt: new Date(status.created_at).toISOString(),
  }
}
