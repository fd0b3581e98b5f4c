import type { ChannelForPosting } from '@herald/contracts/channels'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Violation } from '@herald/contracts/platforms'
import type { PostValidation } from '@herald/contracts/post-actions'
import type { Caller, CreatePostBody } from '@herald/contracts/posts'
import { REAUTH, requireKnownChannels } from './access.ts'
import type { Deps } from './deps.ts'
import { dueTime } from './domain/due-time.ts'
import { requireKnownPlatforms, violationsOf } from './domain/rules.ts'

export type ValidateInput = { caller: Caller; body: CreatePostBody }

/**
 * Checks a post as its creation would, and changes nothing. What no channel's rules are asked about is refused as there:
 * unknown channels and files, and a publish time that cannot be.
 */
export async function validatePost(
  deps: Deps,
  { caller, body }: ValidateInput,
): Promise<PostValidation> {
  const { content, channelIds, mediaIds, publishAt, platformContent = {}, ...options } = body
  const channels = await requireKnownChannels(deps, caller, channelIds)
  const media = await filesOf(deps, caller, mediaIds)
  dueTime(publishAt, new Date(deps.now()).toISOString())
  const draft = { content, platformContent, options, media }
  requireKnownPlatforms(draft, channels)
  const violations = [...staleChannels(channels), ...violationsOf(draft, channels)]
  return { valid: violations.length === 0, violations }
}

async function filesOf(
  { media }: Deps,
  { organizationId }: Caller,
  mediaIds: string[],
): Promise<AttachedMedia[]> {
  if (mediaIds.length === 0) return []
  return (await media.getForPosting({ organizationId, mediaIds })).data
}

/** A channel that must be connected again is refused at creation by itself; here it is one violation among others. */
function staleChannels(channels: readonly ChannelForPosting[]): Violation[] {
  return channels.flatMap(({ id, platform, status }, index) =>
    status === 'reauth_required'
      ? [
          {
            channelId: id,
            platform,
            rule: 'reauthRequired',
            path: `channelIds.${index}`,
            message: REAUTH,
          },
        ]
      : [],
  )
}
