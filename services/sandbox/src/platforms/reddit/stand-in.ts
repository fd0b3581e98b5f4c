import { bearerOf } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { openMeter, rateLimited } from './meter.ts'
import { redditOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import { isLive, openReddit, permalink, type Reddit } from './server.ts'
import type { Post } from './state.ts'
import { openWebsockets } from './websocket.ts'

const SCOPES = ['identity', 'submit', 'read', 'flair', 'history']

export const reddit: StandInEntry = {
  platform: 'REDDIT',
  name: 'Reddit',
  path: 'reddit',
  open: openStandIn,
  settings: (baseUrl) => ({
    REDDIT_AUTHORIZE_URL: `${baseUrl}/api/v1/authorize`,
    REDDIT_TOKEN_URL: `${baseUrl}/api/v1/access_token`,
    REDDIT_REVOKE_URL: `${baseUrl}/api/v1/revoke_token`,
    REDDIT_API_URL: baseUrl,
    REDDIT_WEB_URL: baseUrl,
    REDDIT_CLIENT_ID: APP.id,
    REDDIT_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of Reddit: its pages, its API, its storage for uploads and its websockets on one host. */
function openStandIn(world: World): StandIn {
  const server = openReddit(world)
  const { provider } = server
  return {
    operations: redditOperations(server),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? standing.account.id : undefined
    },
    meter: openMeter(world),
    broken: () => errorAnswer(500),
    rateLimited,
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      return errorAnswer(401)
    },
    tooLarge: () => errorAnswer(413),
    notFound: () => errorAnswer(404),
    createAccount: (username) => {
      const account = provider.accountNamed(username)
      const { accessToken, refreshToken, expiresAt } = provider.issue(account.id, SCOPES)
      return {
        account: account.id,
        credentials: {
          accessToken,
          refreshToken: refreshToken ?? '',
          expiresAt: String(expiresAt),
        },
      }
    },
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
    live: () =>
      [...server.state.posts.values()]
        .filter((post) => isLive(server, post))
        .map((post) => liveOf(server, post)),
    upgrade: openWebsockets(server),
  }
}

function liveOf(server: Reddit, post: Post): LivePost {
  const base = server.baseUrl()
  const files = post.assetIds.flatMap((id) => server.state.files.get(id) ?? [])
  return {
    account: post.accountId,
    id: `t3_${post.id}`,
    url: `${base}${permalink(post)}`,
    text: post.text,
    title: post.title,
    ...(post.link !== null && { link: post.link }),
    media: files.map(({ assetId, mimeType, sizeBytes, sha256, width, height }) => ({
      mimeType,
      sizeBytes,
      sha256,
      width,
      height,
      altText: null,
      url: `${base}/media/${assetId}`,
    })),
    at: new Date(post.readyAt).toISOString(),
  }
}
