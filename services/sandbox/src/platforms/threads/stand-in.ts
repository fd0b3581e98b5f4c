import type { Answer, Call } from '../../call.ts'
import { callerOf, expire } from '../../graph/access.ts'
import { broken, graphError, unknownPath } from '../../graph/errors.ts'
import { fieldsOf } from '../../graph/fields.ts'
import { exchangeCode, exchangeToken, issueLong, refreshToken } from '../../graph/long-lived.ts'
import { openMeter, rateLimited } from '../../graph/meter.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import { APP } from '../../oauth/provider.ts'
import type { NewAccount, Operation, StandIn, StandInEntry, World } from '../../stand-in.ts'
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
  const { provider } = state
  const meter = openMeter(world, BUDGET)
  return {
    operations: operationsOf(state),
    accountOf: (call) => callerOf(provider, call),
    meter: (_call, _operation, account) => meter(account),
    broken,
    rateLimited: () => rateLimited(BUDGET),
    expireAccess: (call) => expire(provider, call),
    tooLarge: () => graphError({ status: 413, message: 'Request Entity Too Large', code: 1 }),
    notFound: unknownPath,
    createAccount: (username) => createAccount(state, username),
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
    live: () => liveOf(state),
  }
}

function createAccount({ provider }: Threads, username: string | undefined): NewAccount {
  const account = provider.accountNamed(username)
  const token = issueLong(provider, { accountId: account.id, scopes: SCOPES })
  return {
    account: account.id,
    credentials: { accessToken: token.accessToken, expiresAt: String(token.expiresAt) },
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
    ...authorizeOperations(world, provider),
    operation('post', '/oauth/access_token', 'auth', codeToken, {
      accountOf: (call) => provider.ownerOf(fieldsOf(call)['code'] ?? ''),
    }),
    operation('get', '/access_token', 'auth', (_, call) => exchangeToken(provider, NAMES, call)),
    operation('get', '/refresh_access_token', 'auth', (_, call) =>
      refreshToken(world, provider, NAMES, call),
    ),
    operation('post', '/v1.0/:user/threads', 'media', makeContainer),
    operation('get', '/v1.0/:user/threads', 'read', listPosts),
    operation('post', '/v1.0/:user/threads_publish', 'commit', publish, { keyOf: creationIdOf }),
    operation('get', '/v1.0/:user/threads_publishing_limit', 'read', showQuota),
    operation('get', '/v1.0/:id', 'read', showNode),
    operation('get', '/@:username/post/:shortcode', 'page', showPostPage),
    operation('get', '/media/:sha256', 'page', showFile),
  ]
}

function codeToken({ provider }: Threads, call: Call): Answer {
  return exchangeCode(provider, call, ({ accessToken, accountId }) => ({
    access_token: accessToken,
    user_id: Number(accountId),
  }))
}
