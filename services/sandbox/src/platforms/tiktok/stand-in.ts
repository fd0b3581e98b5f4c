import { type Answer, bearerOf, type Call } from '../../call.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { queryCreator, showUser } from './creator.ts'
import { initPhotos } from './init-photos.ts'
import { initVideo, kindOfInit } from './init-video.ts'
import { openMeter, tooMany } from './meter.ts'
import { accountOfCode, issueToken, revokeToken } from './oauth.ts'
import {
  fetchStatus,
  fileUrl,
  isLive,
  listVideos,
  liveAt,
  postUrl,
  showFile,
  showPost,
  showProfile,
} from './posts.ts'
import { errorAnswer, unauthenticated } from './refusals.ts'
import { openTiktok, type Tiktok } from './server.ts'
import type { Publishing } from './state.ts'
import { kindOfChunk, publishingOf, storeChunk } from './uploads.ts'

const SCOPES = ['user.info.basic', 'video.publish', 'video.list']

export const tiktok: StandInEntry = {
  platform: 'TIKTOK',
  name: 'TikTok',
  path: 'tiktok',
  open: openStandIn,
  settings: (baseUrl) => ({
    TIKTOK_AUTHORIZE_URL: `${baseUrl}/v2/auth/authorize`,
    TIKTOK_TOKEN_URL: `${baseUrl}/v2/oauth/token`,
    TIKTOK_REVOKE_URL: `${baseUrl}/v2/oauth/revoke`,
    TIKTOK_API_URL: `${baseUrl}/v2`,
    TIKTOK_WEB_URL: baseUrl,
    TIKTOK_CLIENT_ID: APP.id,
    TIKTOK_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of TikTok with its API, its uploads and its grants on one host. */
function openStandIn(world: World): StandIn {
  const server = openTiktok(world)
  const { provider } = server
  return {
    operations: operationsOf(server),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? standing.account.id : undefined
    },
    meter: openMeter(world),
    broken: () => errorAnswer(500, 'internal_error', 'Something is wrong. Please try again later.'),
    rateLimited: () => {
      const answer = tooMany()
      return { ...answer, headers: { ...answer.headers, 'retry-after': '2' } }
    },
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      return unauthenticated()
    },
    tooLarge: () => errorAnswer(413, 'invalid_params', 'The request is too large.'),
    notFound: () => notFound(),
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
      [...server.state.publishings.values()]
        .filter((publishing) => isLive(server, publishing))
        .map((publishing) => liveOf(server, publishing)),
  }
}

function notFound(): Answer {
  return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Unsupported path(Janus)' }
}

function operationsOf(server: Tiktok): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: (tiktok: Tiktok, call: Call) => ReturnType<Operation['handle']>,
    more: Partial<Operation> = {},
  ): Operation => ({
    method,
    path,
    kind,
    // The API knows its paths with a slash at their end alone.
    handle: (call) =>
      path.endsWith('/') && !call.path.endsWith('/') ? notFound() : handle(server, call),
    ...more,
  })
  return [
    ...authorizeOperations(server, server.provider),
    operation('post', '/v2/oauth/token/', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(server, call),
    }),
    operation('post', '/v2/oauth/revoke/', 'auth', revokeToken),
    operation('get', '/v2/user/info/', 'read', showUser),
    operation('post', '/v2/post/publish/creator_info/query/', 'read', queryCreator),
    operation('post', '/v2/post/publish/video/init/', 'media', initVideo, {
      kindOf: kindOfInit,
      bringsFile: false,
    }),
    operation('post', '/v2/post/publish/content/init/', 'commit', initPhotos),
    operation('put', '/video/', 'media', storeChunk, {
      kindOf: kindOfChunk,
      bringsFile: true,
      keyOf: (call) => publishingOf(server, call)?.publishId,
      accountOf: (call) => publishingOf(server, call)?.accountId,
      maxBytes: 128_000_000,
    }),
    operation('post', '/v2/post/publish/status/fetch/', 'read', fetchStatus),
    operation('post', '/v2/video/list/', 'read', listVideos),
    operation('get', '/@:username', 'page', showProfile),
    operation('get', '/@:username/:kind/:id', 'page', showPost),
    operation('get', '/files/:id/:index', 'page', showFile),
  ]
}

function liveOf(server: Tiktok, publishing: Publishing): LivePost {
  const { postId, accountId, info, complete, kind } = publishing
  return {
    account: accountId,
    id: postId,
    url: postUrl(server, publishing),
    // The title of a video is all that is said of it.
    ...(kind === 'photo' && info.title !== '' && { title: info.title }),
    text: kind === 'photo' ? info.description : info.title,
    media: (complete?.files ?? []).map((file, index) => ({
      ...file,
      altText: null,
      url: fileUrl(server, publishing, index),
    })),
    at: new Date(liveAt(publishing)).toISOString(),
  }
}
