import { z } from 'zod'
import type { Account } from '../../oauth/state.ts'
import { creatorOf } from './creator.ts'
import { refuse, refuseParams } from './refusals.ts'
import type { PostInfo } from './state.ts'

const shared = {
  title: z.string().optional(),
  privacy_level: z.enum([
    'PUBLIC_TO_EVERYONE',
    'MUTUAL_FOLLOW_FRIENDS',
    'FOLLOWER_OF_CREATOR',
    'SELF_ONLY',
  ]),
  disable_comment: z.boolean().optional(),
  brand_content_toggle: z.boolean().optional(),
  brand_organic_toggle: z.boolean().optional(),
}

export const VideoInfo = z.object({
  ...shared,
  disable_duet: z.boolean().optional(),
  disable_stitch: z.boolean().optional(),
  video_cover_timestamp_ms: z.int().nonnegative().optional(),
  is_aigc: z.boolean().optional(),
})

export const PhotoInfo = z.object({
  ...shared,
  description: z.string().optional(),
  auto_add_music: z.boolean().optional(),
})

/** What a post says of itself, if this creator may say so. */
export function acceptInfo(
  account: Account,
  info: z.infer<typeof VideoInfo> | z.infer<typeof PhotoInfo>,
  limits: { title: number; description: number },
): PostInfo {
  const { title = '', privacy_level: privacyLevel } = info
  const description = 'description' in info ? (info.description ?? '') : ''
  if (title.length > limits.title) refuseParams('The title is too long.')
  if (description.length > limits.description) refuseParams('The description is too long.')
  if (!creatorOf(account).privacyLevels.includes(privacyLevel))
    refuse(
      403,
      'privacy_level_option_mismatch',
      'The privacy level is not among the privacy_level_options of the creator.',
    )
  if (info.brand_content_toggle === true && privacyLevel === 'SELF_ONLY')
    refuseParams('Branded content visibility cannot be set to private.')
  return { title, description, privacyLevel }
}
