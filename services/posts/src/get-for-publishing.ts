import { AppError } from '@herald/contracts/errors'
import type { posts } from '@herald/contracts/posts'
import type { Handlers } from '@herald/contracts/rpc'
import type { Deps } from './deps.ts'
import { optionsFor } from './domain/rules.ts'
import { findLost } from './lost-results.ts'
import { findGeneration, findPost } from './queries.ts'

type GetForPublishing = Handlers<typeof posts>['getForPublishing']

/** What the publisher needs of a post that has started. */
export async function getForPublishing(
  { database: { pool }, requireChecked }: Pick<Deps, 'database' | 'requireChecked'>,
  { organizationId, postId }: Parameters<GetForPublishing>[0],
): ReturnType<GetForPublishing> {
  requireChecked()
  const found = await findPost(pool, organizationId, postId)
  if (!found) throw new AppError('not_found', 'There is no such post.')
  // Asked after the channels, so that it is never the generation before theirs.
  const generation = await findGeneration(pool, organizationId, postId)
  const lost = await findLost(pool, { organizationId, postId, generation })
  return {
    postId,
    organizationId,
    status: found.status,
    dueAt: found.scheduled_at,
    generation,
    mayBeLiveSince: lost.since,
    channels: found.channels.map((channel) => ({
      channelId: channel.channel_id,
      platform: channel.platform,
      status: channel.status,
      content: channel.content,
      options: optionsFor(found.options, channel.platform),
      live: lost.live.get(channel.channel_id) ?? null,
    })),
    mediaIds: found.media.map(({ id }) => id),
  }
}
