import { randomBytes } from 'node:crypto'
import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { exchange } from '../../exchange.ts'
import type { Answer, Core, SandboxPlatform } from '../../platform.ts'
import { missingPage, postPage } from '../../post-page.ts'
import { sendPage } from '../../html.ts'
import { toLivePost } from './live-post.ts'
import { authorized, blueskyManners, findAccount } from './manners.ts'
import { getProfile, getRecord, listRecords, resolveHandle } from './read-records.ts'
import { createSession, getSession, refreshSession, revokeAll } from './sessions.ts'
import { type Bluesky, createTables } from './tables.ts'
import { createTids } from './tid.ts'
import { uploadBlob } from './upload-blob.ts'
import { createRecord, putRecord } from './write-record.ts'

const PATH = '/bluesky'
const MAX_BLOB = '60mb'

/** A stand-in of Bluesky: a personal data server with the parts of the app's API that publishing needs. */
export function bluesky(core: Core): SandboxPlatform {
  const tables = createTables(core)
  const server: Bluesky = { ...tables, core, url: core.url + PATH, secret: () => secretOf(tables) }
  return {
    platform: 'BLUESKY',
    path: PATH,
    router: routes(server),
    username: /^[a-z0-9](?:[a-z0-9-]{1,16}[a-z0-9])$/i,
    createAccount: (username) => createAccount(server, username.toLowerCase()),
    livePosts: () => server.posts.all().map((post) => toLivePost(server, post)),
    revoke: (did) => revokeAll(server, did),
    nameOf: (did) => `@${server.accounts.get(did)?.handle ?? did}`,
  }
}

function routes(server: Bluesky): Router {
  const router = Router()
  const call = exchange(server.core, blueskyManners(server))
  const writer = { bluesky: server, newRkey: createTids(server.core.clock.now) }
  const signed = (work: (did: string, request: Request) => Answer) => authorized(server, work)
  router.post(
    '/xrpc/com.atproto.repo.uploadBlob',
    express.raw({ type: () => true, limit: MAX_BLOB }),
    call(
      'media',
      signed((did, request) => uploadBlob(server, did, request)),
    ),
  )
  router.use(express.json({ limit: '1mb' }))
  const posts = {
    'server.createSession': call('auth', (request) => createSession(server, request)),
    'server.refreshSession': call('auth', (request) => refreshSession(server, request)),
    'repo.createRecord': call(
      'commit',
      signed((did, request) => createRecord(writer, did, request)),
    ),
    'repo.putRecord': call(
      'commit',
      signed((did, request) => putRecord(writer, did, request)),
    ),
  }
  for (const [name, handler] of Object.entries(posts))
    router.post(`/xrpc/com.atproto.${name}`, handler)
  const gets = {
    'com.atproto.server.getSession': call(
      'auth',
      signed((did) => getSession(server, did)),
    ),
    'com.atproto.repo.getRecord': call('read', (request) => getRecord(server, request)),
    'com.atproto.repo.listRecords': call('read', (request) => listRecords(server, request)),
    'com.atproto.identity.resolveHandle': call('read', (request) => resolveHandle(server, request)),
    'app.bsky.actor.getProfile': call('read', (request) => getProfile(server, request)),
  }
  for (const [name, handler] of Object.entries(gets)) router.get(`/xrpc/${name}`, handler)
  router.get('/profile/:actor/post/:rkey', showPost(server))
  router.use((_request, response) => {
    response.status(501).json({ error: 'MethodNotImplemented', message: 'Method Not Implemented' })
  })
  router.use(answerUnreadable)
  return router
}

function showPost(server: Bluesky) {
  return ({ params }: Request, response: Response): void => {
    const account = findAccount(server, params.actor)
    const post = account && server.posts.get(`${account.did}/${String(params.rkey)}`)
    if (post) sendPage(response, 200, postPage(`@${account.handle}`, toLivePost(server, post)))
    else sendPage(response, 404, missingPage())
  }
}

/** A body that cannot be parsed or is too large. */
const answerUnreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const { data } = z.object({ status: z.number().min(400).max(499) }).safeParse(error)
  if (!data) next(error)
  else if (data.status === 413)
    response.status(413).json({ error: 'PayloadTooLarge', message: 'request entity too large' })
  else response.status(400).json({ error: 'InvalidRequest', message: 'The body cannot be read' })
}

function createAccount({ accounts, appPasswords, core }: Bluesky, username: string) {
  const handle = `${username}.test`
  const known = accounts.all().find((account) => account.handle === handle)
  const did = known?.did ?? `did:plc:${plcId()}`
  if (!known) accounts.put(did, { did, handle, createdAt: core.clock.iso() })
  const appPassword = [0, 1, 2, 3].map(() => randomBytes(2).toString('hex')).join('-')
  appPasswords.put(appPassword, { did, revoked: false })
  return { account: did, credentials: { identifier: handle, appPassword } }
}

function plcId(): string {
  return [...randomBytes(24)].map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('')
}

/** One secret for the life of the ledger: tokens stay good after a restart. */
function secretOf({ secrets }: ReturnType<typeof createTables>): string {
  const known = secrets.get('jwt')
  if (known !== undefined) return known
  const made = randomBytes(32).toString('base64url')
  secrets.put('jwt', made)
  return made
}
