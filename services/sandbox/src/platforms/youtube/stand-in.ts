import { bearerOf, type Call } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { listCategories } from './categories.ts'
import { listChannels } from './channels.ts'
import { accountOfCode, consentPages, issueToken, revokeToken } from './oauth.ts'
import { errorAnswer, unauthenticated } from './refusals.ts'
import { openYoutube, type Youtube } from './server.ts'
import type { Video } from './state.ts'
import { continueUpload, kindOfUpload, openSession, sessionOf } from './uploads.ts'
import { fileUrl, isLive, listVideos, showFile, showVideo, watchUrl } from './videos.ts'

const SCOPES = ['upload', 'readonly'].map(
  (scope) => `https://www.googleapis.com/auth/youtube.${scope}`,
)
const UPLOADS = '/upload/youtube/v3/videos'

export const youtube: StandInEntry = {
  platform: 'YOUTUBE',
  name: 'YouTube',
  path: 'youtube',
  open: openStandIn,
  settings: (baseUrl) => ({
    YOUTUBE_AUTHORIZE_URL: `${baseUrl}/o/oauth2/v2/auth`,
    YOUTUBE_TOKEN_URL: `${baseUrl}/token`,
    YOUTUBE_REVOKE_URL: `${baseUrl}/revoke`,
    YOUTUBE_API_URL: `${baseUrl}/youtube/v3`,
    YOUTUBE_UPLOAD_URL: `${baseUrl}/upload/youtube/v3`,
    YOUTUBE_WEB_URL: baseUrl,
    YOUTUBE_CLIENT_ID: APP.id,
    YOUTUBE_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of YouTube with its API, its uploads and Google's grants on one host. */
function openStandIn(world: World): StandIn {
  const server = openYoutube(world)
  const { provider } = server
  return {
    operations: operationsOf(server),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? standing.account.id : undefined
    },
    meter: () => ({ headers: {} }),
    broken: () => errorAnswer(500, 'backendError', { message: 'Backend Error' }),
    rateLimited: () => {
      const message = 'The request cannot be completed because of too many calls.'
      const answer = errorAnswer(403, 'userRateLimitExceeded', { message, domain: 'usageLimits' })
      return { ...answer, headers: { ...answer.headers, 'retry-after': '2' } }
    },
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      return unauthenticated()
    },
    tooLarge: () => errorAnswer(413, 'uploadTooLarge', { message: 'Request Too Large' }),
    notFound: () => errorAnswer(404, 'notFound', { message: 'Not Found' }),
    createAccount: (username) => {
      const account = provider.accountNamed(username)
      const { accessToken, refreshToken, expiresAt } = provider.issue(account.id, SCOPES)
      const credentials = {
        accessToken,
        refreshToken: refreshToken ?? '',
        expiresAt: String(expiresAt),
      }
      return { account: account.id, credentials }
    },
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
    live: () =>
      [...server.state.videos.values()]
        .filter((video) => isLive(server, video))
        .map((video) => liveOf(server, video)),
  }
}

function operationsOf(server: Youtube): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: (youtube: Youtube, call: Call) => ReturnType<Operation['handle']>,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(server, call), ...more })
  return [
    ...consentPages(server),
    operation('post', '/token', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(server, call),
    }),
    operation('post', '/revoke', 'auth', revokeToken),
    operation('get', '/youtube/v3/channels', 'read', listChannels),
    operation('get', '/youtube/v3/videos', 'read', listVideos),
    operation('get', '/youtube/v3/videoCategories', 'read', listCategories),
    operation('post', UPLOADS, 'media', openSession, { bringsFile: false }),
    operation('put', UPLOADS, 'media', continueUpload, {
      kindOf: kindOfUpload,
      bringsFile: true,
      keyOf: ({ query }) => query.get('upload_id') ?? undefined,
      accountOf: (call) => sessionOf(server, call)?.accountId,
      maxBytes: 300_000_000,
    }),
    operation('get', '/watch', 'page', showVideo),
    operation('get', '/videoplayback/:id', 'page', showFile),
  ]
}

function liveOf(server: Youtube, video: Video): LivePost {
  const { id, accountId, metadata, mimeType, sizeBytes, sha256, width, height } = video
  return {
    account: accountId,
    id,
    url: watchUrl(server, video),
    title: metadata.title,
    text: metadata.description,
    media: [
      { mimeType, sizeBytes, sha256, width, height, altText: null, url: fileUrl(server, video) },
    ],
    at: new Date(video.publishedAt).toISOString(),
  }
}
