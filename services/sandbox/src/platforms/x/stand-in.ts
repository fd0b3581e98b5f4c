import { bearerOf } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { unauthorized } from './authenticate.ts'
import { openMeter, rateLimited } from './meter.ts'
import { xOperations } from './operations.ts'
import { problemAnswer } from './refusals.ts'
import { fileUrl, mediaOf, openSite, postUrl, type Site } from './site.ts'
import type { Post } from './state.ts'

const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access']

export const x: StandInEntry = {
  platform: 'X',
  name: 'X',
  path: 'x',
  open: openX,
  settings: (baseUrl) => ({
    X_AUTHORIZE_URL: `${baseUrl}/i/oauth2/authorize`,
    X_TOKEN_URL: `${baseUrl}/2/oauth2/token`,
    X_REVOKE_URL: `${baseUrl}/2/oauth2/revoke`,
    X_API_URL: baseUrl,
    X_WEB_URL: baseUrl,
    X_CLIENT_ID: APP.id,
    X_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of X. */
function openX(world: World): StandIn {
  const site = openSite(world)
  const { provider } = site
  return {
    operations: xOperations(site),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? standing.account.id : undefined
    },
    meter: openMeter(world),
    broken: () => problemAnswer(500, 'Internal Server Error', 'Something is broken.'),
    rateLimited: () => rateLimited(world),
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      return unauthorized()
    },
    tooLarge: () => problemAnswer(413, 'Payload Too Large', 'Payload Too Large'),
    notFound: (path) => problemAnswer(404, 'Not Found', `There is no ${path}.`),
    createAccount: (username) => createAccount(site, username),
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
    live: () => [...site.state.posts.values()].map((post) => liveOf(site, post)),
  }
}

function createAccount({ provider }: Site, username: string | undefined): NewAccount {
  const account = provider.accountNamed(username)
  const { accessToken, refreshToken, expiresAt } = provider.issue(account.id, SCOPES)
  const credentials = {
    accessToken,
    ...(refreshToken !== null && { refreshToken }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
  }
  return { account: account.id, credentials }
}

function liveOf(site: Site, post: Post): LivePost {
  return {
    account: post.accountId,
    id: post.id,
    url: postUrl(site, post),
    text: post.text,
    media: mediaOf(site, post).flatMap((media) => {
      const { whole, mimeType, totalBytes: sizeBytes, altText } = media
      if (!whole) return []
      const { sha256, width, height } = whole
      return [{ mimeType, sizeBytes, sha256, width, height, altText, url: fileUrl(site, media) }]
    }),
    at: post.createdAt,
  }
}
