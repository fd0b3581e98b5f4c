import { type Connection, connectionOf, type HeraldOptions } from './connection.ts'
import { listAt } from './list.ts'
import { mediaOf } from './media.ts'
import { pathOf } from './path.ts'
import { postsOf } from './posts.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Channel, ChannelOptions, Me } from './resources.ts'
import { type CallOptions, send } from './send.ts'

/** A client of Herald's API with one key. */
export type Herald = ReturnType<typeof createHerald>

/**
 * Makes a client of Herald's API. Every call has a deadline, is made again where that is safe, and throws one of the
 * errors of `@herald/client/errors`. Throws a `TypeError` for options that cannot be right.
 */
export function createHerald(options: HeraldOptions) {
  let rateLimit: RateLimit = { minute: null, month: null }
  const given = connectionOf(options)
  const connection: Connection = {
    ...given,
    onAnswer(answer) {
      // An answer that was refused early does not say what is left.
      if (answer.rateLimit.minute ?? answer.rateLimit.month) rateLimit = answer.rateLimit
      given.onAnswer(answer)
    },
  }
  return {
    /** Whose key this is, what it may do, and what is left of its quota. */
    me: (call?: CallOptions) => send<Me>(connection, { ...call, method: 'GET', path: '/me' }),
    channels: {
      /** The connected channels that this key may post to. */
      list: (call?: CallOptions) => listAt<Channel>(connection, '/channels', {}, call),
      /** What can be chosen for a post to a channel: boards, flairs, privacy levels, categories. */
      options: async (id: string, query: { subreddit?: string } = {}, call?: CallOptions) =>
        send<ChannelOptions>(connection, {
          ...call,
          method: 'GET',
          path: pathOf`/channels/${id}/options`,
          query,
        }),
    },
    posts: postsOf(connection),
    media: mediaOf(connection),
    /** What was left of the limits at the latest answer. */
    rateLimit: () => rateLimit,
  }
}
