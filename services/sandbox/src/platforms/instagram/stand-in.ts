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

function createAccount({ provider }: Instagram, username: string | undefined): NewAccount {
  const account = provider.accountNamed(username)
  const token = issueLong(provider, { accountId: account.id, scopes: SCOPES })
  return {
    account: account.id,
    credentials: { accessToken: token.accessToken, expiresAt: String(token.expiresAt) },
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
    ...authorizeOperations(world, provider),
    operation('post', '/oauth/access_token', 'auth', codeToken, {
      accountOf: (call) => provider.ownerOf(fieldsOf(call)['code'] ?? ''),
    }),
    operation('get', '/access_token', 'auth', (_, call) => exchangeToken(provider, NAMES, call)),
    operation('get', '/refresh_access_token', 'auth', (_, call) =>
      refreshToken(world, provider, NAMES, call),
    ),
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
function codeToken({ provider }: Instagram, call: Call): Answer {
  return exchangeCode(provider, call, ({ accessToken, accountId, scopes }) => ({
    data: [{ access_token: accessToken, user_id: accountId, permissions: scopes.join(',') }],
  }))
}
