import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import type { Live, PublishInput } from '../platform.ts'
import { X_SETTINGS } from './settings.ts'

const Entities = z.object({
  urls: z
    .array(
      z.object({
        url: z.string(),
        expanded_url: z.string().optional(),
        media_key: z.string().optional(),
      }),
    )
    .default([]),
})

/** A post as the API answers it; only what Herald looks at. A long text is in `note_tweet` as a whole. */
export const Post = z.object({
  id: z.string().min(1),
  text: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  entities: Entities.optional().catch(undefined),
  note_tweet: z
    .object({ text: z.string(), entities: Entities.optional().catch(undefined) })
    .optional()
    .catch(undefined),
  attachments: z
    .object({ media_keys: z.array(z.string()).default([]) })
    .optional()
    .catch(undefined),
})
export type Post = z.infer<typeof Post>

/** Where and since when a post is live. */
export function liveOf(
  id: string,
  publishedAt: string,
  { settings, username }: Pick<PublishInput, 'settings' | 'username'>,
): Live {
  const { webUrl } = { ...X_SETTINGS, ...settings }
  return { platformPostId: id, url: addressOf(webUrl, `/${username}/status/${id}`), publishedAt }
}
