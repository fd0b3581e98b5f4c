import { randomBytes } from 'node:crypto'
import express, { type ErrorRequestHandler, type Request, Router } from 'express'
import { z } from 'zod'
import { exchange } from '../../exchange.ts'
import { multipart } from '../../multipart.ts'
import type { Answer, Core, SandboxPlatform } from '../../platform.ts'
import { instanceV1, instanceV2 } from './instance.ts'
import { authorized, failure, mastodonManners } from './manners.ts'
import { MEDIA_LIMITS } from './media-limits.ts'
import { createApp } from './oauth-apps.ts'
import { askPerson, takeDecision } from './oauth-authorize.ts'
import { exchangeCode, revokeToken } from './oauth-token.ts'
import { statusPage } from './pages.ts'
import { postStatus } from './post-status.ts'
import { getStatus, listStatuses } from './read-statuses.ts'
import { createTables, type Mastodon } from './tables.ts'
import { changeMedia, getMedia, uploadMedia } from './upload-media.ts'
import { accountView, toLivePost } from './views.ts'

const PATH = '/mastodon'

/** A stand-in of one Mastodon instance. */
export function mastodon(core: Core): SandboxPlatform {
  const instance: Mastodon = { ...createTables(core), core, url: core.url + PATH }
  return {
    platform: 'MASTODON',
    path: PATH,
    router: routes(instance),
    username: /^[a-z0-9_]{1,30}$/i,
    createAccount: (username) => createAccount(instance, username),
    livePosts: () => instance.statuses.all().map((status) => toLivePost(instance, status)),
    revoke: (account) => revoke(instance, account),
    nameOf: (account) => `@${instance.accounts.get(account)?.username ?? account}`,
  }
}

function routes(instance: Mastodon): Router {
  const router = Router()
  const call = exchange(instance.core, mastodonManners(instance))
  const signed = (
    scopes: string[],
    work: (instance: Mastodon, account: string, request: Request) => Answer,
  ) => authorized(instance, scopes, (account, request) => work(instance, account, request))
  const writesMedia = ['write', 'write:media']
  router.use(
    express.json({ limit: '1mb' }),
    express.urlencoded({ extended: true, limit: '1mb' }),
    multipart(MEDIA_LIMITS.videoBytes),
  )
  router.post('/api/v1/statuses', call('commit', signed(['write', 'write:statuses'], postStatus)))
  router.post('/api/v2/media', call('media', signed(writesMedia, uploadMedia)))
  router.get('/api/v1/media/:id', call('read', signed(writesMedia, getMedia)))
  router.put('/api/v1/media/:id', call('read', signed(writesMedia, changeMedia)))
  router.get(
    '/api/v1/accounts/verify_credentials',
    call('auth', signed(['read', 'read:accounts', 'profile'], verifyCredentials)),
  )
  router.get('/api/v1/accounts/:id/statuses', call('read', listStatuses(instance)))
  router.get('/api/v1/statuses/:id', call('read', getStatus(instance)))
  router.get(
    '/api/v1/instance',
    call('read', () => instanceV1(instance.url)),
  )
  router.get(
    '/api/v2/instance',
    call('read', () => instanceV2(instance.url)),
  )
  router.post(
    '/api/v1/apps',
    call('auth', (request) => createApp(instance, request)),
  )
  router.post(
    '/oauth/token',
    call('auth', (request) => exchangeCode(instance, request)),
  )
  router.post(
    '/oauth/revoke',
    call('auth', (request) => revokeToken(instance, request)),
  )
  router.get('/oauth/authorize', askPerson(instance))
  router.post('/oauth/authorize', takeDecision(instance))
  router.get('/@:username/:id', statusPage(instance))
  router.use((_request, response) => {
    response.status(404).json({ error: 'Not Found' })
  })
  router.use(answerUnreadable)
  return router
}

function verifyCredentials(instance: Mastodon, id: string): Answer {
  const account = instance.accounts.get(id)
  if (!account) return failure(404, 'Record not found')
  return { status: 200, body: accountView(instance, account) }
}

/** A body that cannot be parsed. */
const answerUnreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const { data } = z.object({ status: z.number().min(400).max(499) }).safeParse(error)
  if (data) response.status(data.status).json({ error: 'The request cannot be read' })
  else next(error)
}

function createAccount(instance: Mastodon, username: string) {
  const createdAt = instance.core.clock.iso()
  const known = instance.accounts.all().find((account) => account.username === username)
  const account = known ?? { id: instance.newId(), username, createdAt }
  if (!known) instance.accounts.put(account.id, account)
  const accessToken = randomBytes(32).toString('base64url')
  instance.tokens.put(accessToken, {
    account: account.id,
    scopes: ['read', 'write'],
    clientId: null,
    revoked: false,
    createdAt,
  })
  return { account: account.id, credentials: { accessToken } }
}

function revoke({ accounts, tokens }: Mastodon, account: string): boolean {
  if (!accounts.get(account)) return false
  for (const [accessToken, token] of tokens.entries())
    if (token.account === account) tokens.put(accessToken, { ...token, revoked: true })
  return true
}
