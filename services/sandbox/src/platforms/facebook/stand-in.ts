import type { Answer, Call } from '../../call.ts'
import { fieldsOf } from '../../graph/fields.ts'
import { graphStandIn } from '../../graph/stand-in.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import { APP } from '../../oauth/provider.ts'
import type { NewAccount, Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { bringPhoto, kindOfPhoto, listFeed, postToFeed } from './feed.ts'
import {
  exchange,
  type Facebook,
  listPages,
  openFacebookState,
  SCOPES,
  showMe,
  VERSION,
} from './pages.ts'
import { kindOfReel, listVideos, postReel, postVideo, uploadReel } from './videos.ts'
import { liveOf, showFile, showNode, showPostPage } from './views.ts'

const BUDGET = { type: 'pages', code: 32 }
const OWNER = 'owner'

export const facebook: StandInEntry = {
  platform: 'FACEBOOK',
  name: 'Facebook',
  path: 'facebook',
  open: openFacebook,
  settings: (baseUrl) => ({
    FACEBOOK_AUTHORIZE_URL: `${baseUrl}/${VERSION}/dialog/oauth`,
    FACEBOOK_TOKEN_URL: `${baseUrl}/${VERSION}/oauth/access_token`,
    FACEBOOK_API_URL: baseUrl,
    FACEBOOK_WEB_URL: baseUrl,
    FACEBOOK_CLIENT_ID: APP.id,
    FACEBOOK_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of the Graph API for Pages. Its accounts are Pages, and one person owns them all. */
function openFacebook(world: World): StandIn {
  const state = openFacebookState(world)
  const { pages } = state
  return {
    ...graphStandIn(world, pages, BUDGET),
    operations: operationsOf(state),
    createAccount: (username) => createPage(state, username),
    live: () => liveOf(state),
  }
}

function createPage({ people, pages }: Facebook, username: string | undefined): NewAccount {
  people.accountNamed(OWNER)
  const page = pages.accountNamed(username)
  const { accessToken } = pages.issue(page.id, SCOPES)
  return { account: page.id, credentials: { accessToken } }
}

function operationsOf(state: Facebook): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: (facebook: Facebook, call: Call) => Answer | Promise<Answer>,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(state, call), ...more })
  return [
    ...authorizeOperations(state.world, state.people),
    operation('get', '/:version/oauth/access_token', 'auth', exchange),
    operation('get', '/:version/me/accounts', 'auth', listPages),
    operation('get', '/:version/me', 'read', showMe),
    operation('get', '/reel/:id', 'page', showPostPage),
    operation('get', '/media/:sha256', 'page', showFile),
    operation('get', '/:page/posts/:id', 'page', showPostPage),
    operation('get', '/:page/videos/:id', 'page', showPostPage),
    operation('post', '/video-upload/:version/:id', 'media', uploadReel),
    operation('post', '/:version/:page/feed', 'commit', postToFeed),
    operation('get', '/:version/:page/feed', 'read', listFeed),
    operation('post', '/:version/:page/photos', 'media', bringPhoto, { kindOf: kindOfPhoto }),
    operation('post', '/:version/:page/videos', 'commit', postVideo),
    operation('get', '/:version/:page/videos', 'read', listVideos),
    operation('post', '/:version/:page/video_reels', 'media', postReel, {
      kindOf: kindOfReel,
      keyOf: (call) => fieldsOf(call)['video_id'],
    }),
    operation('get', '/:version/:id', 'read', showNode),
  ]
}
