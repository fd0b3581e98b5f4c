import { openProvider, type Provider } from '../../oauth/provider.ts'
import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'
import { openState, type Post } from './state.ts'

export type Reddit = World & { provider: Provider } & ReturnType<typeof openState>

/** Reddit: its accounts with what they granted, and what they uploaded and posted. */
export function openReddit(world: World): Reddit {
  const provider = openProvider(world, {
    part: 'REDDIT-oauth',
    name: 'Reddit',
    authorizePath: '/api/v1/authorize',
    requiresPkce: false,
    codeSeconds: 600,
    accessSeconds: 86_400,
    refreshSeconds: null,
    rotates: false,
    newAccountId: () => newId().slice(0, 9),
  })
  const part = openState(world.ledger)
  return {
    ...world,
    provider,
    record: part.record,
    get state() {
      return part.state
    },
  }
}

/** An id of small letters and digits. */
export function newId(): string {
  return randomText(12)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '0')
}

/** Whether a post is there: it is made, and its file could be processed. */
export function isLive({ now }: Reddit, { readyAt, isBroken }: Post): boolean {
  return !isBroken && readyAt <= now()
}

/** The path of a post's comments. */
export function permalink({ subreddit, id, title }: Post): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 50)
  return `/r/${subreddit}/comments/${id}/${encodeURIComponent(slug || 'post')}/`
}
