import type { Part } from '../../ledger.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { World } from '../../stand-in.ts'
import { type Event, type Media, openState, type Post, type State } from './state.ts'

/** When the ids of X begin, in milliseconds since 1970. */
const EPOCH_MS = 1_288_834_974_657n
const SIX_MONTHS_SECONDS = 15_552_000

/** X: its world, its state, its accounts and grants, and what its endpoints share. */
export type Site = World &
  Part<State, Event> & {
    provider: Provider
    /** Ids are numeric text, grow, and tell the time, as X's do. */
    newId: () => string
  }

export function openSite(world: World): Site {
  const part = openState(world.ledger)
  let lastAccount = 0n
  const byTime = () => (BigInt(world.now()) - EPOCH_MS) << 22n
  const after = (last: bigint) => (byTime() > last ? byTime() : last + 1n)
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
    newId: () => String(after(part.state.lastId)),
    provider: openProvider(world, {
      part: 'X-oauth',
      name: 'X',
      authorizePath: '/i/oauth2/authorize',
      requiresPkce: true,
      codeSeconds: 30,
      accessSeconds: 7200,
      refreshSeconds: SIX_MONTHS_SECONDS,
      rotates: true,
      newAccountId: () => {
        lastAccount = after(lastAccount)
        return String(lastAccount)
      },
    }),
  }
}

/** What X calls a file in the posts that have it. */
export function mediaKeyOf({ id, category }: Media): string {
  const kind = { tweet_image: 3, tweet_gif: 16, tweet_video: 7, amplify_video: 13 }[category]
  return `${kind}_${id}`
}

/** An upload that is not expired. */
export function findMedia(site: Site, id: string, accountId: string): Media | undefined {
  const media = site.state.media.get(id)
  const isThere = media?.accountId === accountId && media.expiresAt > site.now()
  return isThere ? media : undefined
}

export function mediaOf(site: Site, { mediaIds }: Post): Media[] {
  return mediaIds.flatMap((id) => site.state.media.get(id) ?? [])
}

export function fileUrl(site: Site, { id }: Media): string {
  return `${site.baseUrl()}/media/${id}`
}

export function postUrl(site: Site, { id, accountId }: Post): string {
  const { username = 'i' } = site.provider.account(accountId) ?? {}
  return `${site.baseUrl()}/${username}/status/${id}`
}
