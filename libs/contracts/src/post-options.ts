import { z } from 'zod'
import { BlueskyOptions } from './options/bluesky.ts'
import { DiscordOptions } from './options/discord.ts'
import { FacebookOptions } from './options/facebook.ts'
import { InstagramOptions } from './options/instagram.ts'
import { LinkedinOptions } from './options/linkedin.ts'
import { MastodonOptions } from './options/mastodon.ts'
import { PinterestOptions } from './options/pinterest.ts'
import { RedditOptions } from './options/reddit.ts'
import { TelegramOptions } from './options/telegram.ts'
import { ThreadsOptions } from './options/threads.ts'
import { TiktokOptions } from './options/tiktok.ts'
import { XOptions } from './options/x.ts'
import { YoutubeOptions } from './options/youtube.ts'

/** One object per platform with what only that platform takes. */
export const PostOptions = z.strictObject({
  instagram: InstagramOptions.optional(),
  facebook: FacebookOptions.optional(),
  threads: ThreadsOptions.optional(),
  linkedin: LinkedinOptions.optional(),
  x: XOptions.optional(),
  tiktok: TiktokOptions.optional(),
  reddit: RedditOptions.optional(),
  bluesky: BlueskyOptions.optional(),
  mastodon: MastodonOptions.optional(),
  youtube: YoutubeOptions.optional(),
  pinterest: PinterestOptions.optional(),
  telegram: TelegramOptions.optional(),
  discord: DiscordOptions.optional(),
})
export type PostOptions = z.infer<typeof PostOptions>
