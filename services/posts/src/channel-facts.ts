import type { ChannelForPosting, channels } from '@herald/contracts/channels'
import type { Client } from '@herald/contracts/rpc'

type Facts = Pick<Client<typeof channels>, 'getForPosting'>

export type RememberedFacts = Facts & {
  /** Forgets a channel, because something happened to it. */
  forget: (channelId: string) => void
  /** Forgets all channels, because something may have happened unheard. */
  forgetAll: () => void
}

const GOOD_FOR_MS = 1_000
const MOST_CHANNELS = 10_000

/**
 * Remembers for a second what the channels service says of active channels, which saves a call in a burst of posts. A
 * channel that is unknown or needs its owner is asked about each time. What is a moment old does no harm: the publisher
 * asks again before it publishes.
 */
export function rememberFacts(
  { getForPosting }: Facts,
  elapsed: () => number = () => performance.now(),
): RememberedFacts {
  const known = new Map<
    string,
    { organizationId: string; channel: ChannelForPosting; until: number }
  >()
  const recall = (organizationId: string, channelId: string): ChannelForPosting | undefined => {
    const entry = known.get(channelId)
    return entry?.organizationId === organizationId && entry.until > elapsed()
      ? entry.channel
      : undefined
  }
  return {
    async getForPosting({ organizationId, channelIds }) {
      const remembered = channelIds.map((id) => recall(organizationId, id))
      const data = remembered.filter((channel) => channel !== undefined)
      if (data.length === channelIds.length) return { data }
      const answer = await getForPosting({ organizationId, channelIds })
      if (known.size > MOST_CHANNELS) known.clear()
      const until = elapsed() + GOOD_FOR_MS
      for (const channel of answer.data)
        if (channel.status === 'active') known.set(channel.id, { organizationId, channel, until })
      return answer
    },
    forget: (channelId) => void known.delete(channelId),
    forgetAll: () => known.clear(),
  }
}
