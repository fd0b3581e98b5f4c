import type { Answer, Call } from '../../call.ts'
import { longLivedOperations, newLongLived } from '../../graph/long-lived.ts'
import { graphStandIn } from '../../graph/stand-in.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import type { Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { makeContainer } from './make-container.ts'
import { openThreadsState, SCOPES, type Threads } from './profile.ts'
import { creationIdOf, publish, showQuota } from './publish.ts'
import { listPosts, liveOf, showFile, showNode, showPostPage } from './views.ts'

const NAMES = { exchange: 'th_exchange_token', refresh: 'th_refresh_token' }
const BUDGET = { type: 'threads', code: 4 }

export const threads: StandInEntry = {
  platform: 'THREADS',
  name: 'Threads',
  path: 'threads',
  open: openThreads,
  settings: (baseUrl) => ({
    THREADS_AUTHORIZE_URL: `${baseUrl}/oauth/authorize`,
    THREADS_TOKEN_URL: `${baseUrl}/oauth/access_token`,
    THREADS_API_URL: baseUrl,
    THREADS_WEB_URL: baseUrl,
    THREADS_CLIENT_ID: APP.id,
    THREADS_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of the Threads API. */
function openThreads(world: World): StandIn {
  const state = openThreadsState(world)
  return {
    ...graphStandIn(world, state.provider, BUDGET),
    operations: operationsOf(state),
    createAccount: (username) => newLongLived(state.provider, SCOPES, username),
    live: () => liveOf(state),
  }
}

function operationsOf(state: Threads): Operation[] {
  const { world, provider } = state
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: (threads: Threads, call: Call) => Answer | Promise<Answer>,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(state, call), ...more })
  return [
    ...longLivedOperations(world, provider, NAMES, viewOfToken),
    operation('post', '/v1.0/:user/threads', 'media', makeContainer),
    operation('get', '/v1.0/:user/threads', 'read', listPosts),
    operation('post', '/v1.0/:user/threads_publish', 'commit', publish, { keyOf: creationIdOf }),
    operation('get', '/v1.0/:user/threads_publishing_limit', 'read', showQuota),
    operation('get', '/v1.0/:id', 'read', showNode),
    operation('get', '/@:username/post/:shortcode', 'page', showPostPage),
    operation('get', '/media/:sha256', 'page', showFile),
  ]
}

function viewOfToken({ accessToken, accountId }: Token): Record<string, unknown> {
  return { access_token: accessToken, user_id: Number(accountId) }
}
