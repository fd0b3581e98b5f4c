import { z } from 'zod'
import type { Limits } from '../platform.ts'
import type { TiktokLimits } from './rules.ts'

export const CREATOR_PATH = '/post/publish/creator_info/query/'

/** What TikTok says of a creator before each post. */
export const Creator = z.object({
  creator_username: z.string().min(1),
  creator_nickname: z.string().nullish(),
  creator_avatar_url: z.string().nullish(),
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().default(false),
  duet_disabled: z.boolean().default(false),
  stitch_disabled: z.boolean().default(false),
  max_video_post_duration_sec: z.number().positive().optional(),
})
export type Creator = z.infer<typeof Creator>

/** What is kept of it for checking posts. */
export function limitsOf(creator: Creator): Limits & TiktokLimits {
  const { privacy_level_options: privacyLevels, max_video_post_duration_sec: maxVideoSeconds } =
    creator
  return { privacyLevels, ...(maxVideoSeconds !== undefined && { maxVideoSeconds }) }
}
