import { randomInt } from 'node:crypto'
import type { Request } from 'express'
import { type AccountMaker, randomToken } from '../../control.ts'
import type { Account } from '../../ledger.ts'
import { findAccount, type World } from '../../world.ts'

/** Mastodon's accounts: a numeric id and an access token that does not expire. */
export const mastodonAccounts: AccountMaker = {
  path: '/mastodon',
  make: (username) => ({
    platform: 'MASTODON',
    id: `11${randomInt(1e12)}${randomInt(1e4)}`,
    username,
    secrets: { accessToken: randomToken(32), scopes: 'read write' },
  }),
  credentials: ({ secrets: { accessToken = '' } }) => ({ accessToken }),
}

/** The account whose token a request carries. */
export function accountOf(world: World, request: Request): Account | undefined {
  const token = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1]
  return token === undefined
    ? undefined
    : findAccount(world, 'MASTODON', ({ secrets }) => secrets.accessToken === token)
}

/** An account as Mastodon shows it. */
export function showAccount(world: World, { id, username }: Account) {
  return {
    id,
    username,
    acct: username,
    display_name: username,
    locked: false,
    bot: false,
    url: `${world.url()}/mastodon/@${username}`,
    avatar: `${world.url()}/mastodon/avatar.svg`,
    followers_count: 0,
    statuses_count: world.ledger.posts.filter((post) => post.account === id).length,
  }
}
