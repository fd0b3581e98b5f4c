import { z } from 'zod'
import { Text, WebLink } from '../text.ts'

/** A subreddit by its name: `x`, `r/x` and `/r/x` are the same, and it is stored as `x`. */
const Subreddit = z
  .string()
  .regex(/^(\/?r\/)?[A-Za-z0-9_]{2,21}$/, 'is not the name of a subreddit')
  .overwrite((text) => text.replace(/^\/?r\//, ''))

/** What only Reddit takes. */
export const RedditOptions = z.strictObject({
  subreddit: Subreddit.optional().meta({
    description: 'Where to post: `x`, `r/x` or `/r/x`. Required.',
  }),
  title: Text.max(1000)
    .optional()
    .meta({ description: 'The title, at most 300 characters. Required.' }),
  flairId: z.string().min(1).max(100).optional().meta({
    description: 'One of the flairs of the subreddit: see `GET /channels/{id}/options`.',
  }),
  link: WebLink.optional().meta({
    description: 'Makes a post without files one that links there.',
  }),
  nsfw: z.boolean().optional(),
  spoiler: z.boolean().optional(),
  sendReplies: z.boolean().optional().meta({
    description: 'Whether replies are sent to the inbox of the account; true unless given.',
  }),
})
