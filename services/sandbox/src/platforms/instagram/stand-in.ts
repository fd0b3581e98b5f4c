import type { Answer, Call } from '../../call.ts'
import { longLivedOperations, newLongLived } from '../../graph/long-lived.ts'
import { graphStandIn } from '../../graph/stand-in.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import type { Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { makeContainer } from './make-container.ts'
import { type Instagram, openInstagramState, SCOPES } from './profile.ts'
import { creationIdOf, publish, showQuota } from './publish.ts'
import { listPosts, liveOf, showFile, showNode, showPostPage } from './views.ts'

const NAMES = { exchange: 'ig_exchange_token', refresh: 'ig_refresh_token' }
const BUDGET = { type: 'instagram', code: 80002 }

export const instagram: StandInEntry = {
  platform: 'INSTAGRAM',
  name: 'Instagram',
  path: 'instagram',
  open: openInstagram,
  settings: (baseUrl) => ({
    INSTAGRAM_AUTHORIZE_URL: `${baseUrl}/oauth/authorize`,
    INSTAGRAM_TOKEN_URL: `${baseUrl}/oauth/access_token`,
    INSTAGRAM_API_URL: baseUrl,
    INSTAGRAM_WEB_URL: baseUrl,
    INSTAGRAM_CLIENT_ID: APP.id,
    INSTAGRAM_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of the Instagram API with Instagram Login. */
function openInstagram(world: World): StandIn {
  const state = openInstagramState(world)
  return {
    ...graphStandIn(world, state.provider, BUDGET),
    operations: operationsOf(state),
    createAccount: (username) => newLongLived(state.provider, SCOPES, username),
    live: () => liveOf(state),
  }
}

function operationsOf(state: Instagram): Operation[] {
  const { world, provider } = state
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: (instagram: Instagram, call: Call) => Answer | Promise<Answer>,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(state, call), ...more })
  return [
    ...longLivedOperations(world, provider, NAMES, viewOfToken),
    operation('get', '/p/:code', 'page', showPostPage),
    operation('get', '/reel/:code', 'page', showPostPage),
    operation('get', '/stories/:username/:code', 'page', showPostPage),
    operation('get', '/media/:sha256', 'page', showFile),
    operation('post', '/:version/:user/media', 'media', makeContainer),
    operation('get', '/:version/:user/media', 'read', (_, call) => listPosts(state, 'media', call)),
    operation('get', '/:version/:user/stories', 'read', (_, call) =>
      listPosts(state, 'stories', call),
    ),
    operation('post', '/:version/:user/media_publish', 'commit', publish, { keyOf: creationIdOf }),
    operation('get', '/:version/:user/content_publishing_limit', 'read', showQuota),
    operation('get', '/:version/:id', 'read', showNode),
  ]
}

/** Instagram documents this answer as a list of one. */
function viewOfToken({ accessToken, accountId, scopes }: Token): Record<string, unknown> {
  return {
    data: [{ access_token: accessToken, user_id: accountId, permissions: scopes.join(',') }],
  }
}
