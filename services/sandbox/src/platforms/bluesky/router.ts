import { createHash } from 'node:crypto'
import express, { type Request, type Response, Router } from 'express'
import { commit, type PlatformErrors } from '../../commit.ts'
import { escapeHtml } from '../../count.ts'
import { imageSize } from '../../image-size.ts'
import type { Account, StoredMedia } from '../../ledger.ts'
import { rateLimiter, type Window } from '../../rate-limit.ts'
import { type Answer, send } from '../../respond.ts'
import type { World } from '../../world.ts'
import { contentId } from './accounts.ts'
import { getRecord, listRecords, writeRecord } from './records.ts'
import {
  authorize,
  createSession,
  refreshSession,
  type Sessions,
  showSession,
  xrpcError,
} from './sessions.ts'

const BLOB_LIMIT = '50mb'
/** Write points per hour: a create costs three of 5,000. */
const WRITES_PER_HOUR = 1666

/** A stand-in of a server of the AT Protocol with Bluesky's posts. */
export function blueskyRouter(world: World): Router {
  const router = Router()
  const sessions: Sessions = new Map()
  const countWrite = rateLimiter(WRITES_PER_HOUR, 3_600_000, world.now)
  const countLogin = rateLimiter(300, 300_000, world.now)
  const call = (
    method: 'get' | 'post',
    name: string,
    work: (request: Request, response: Response) => unknown,
  ) => router[method](`/xrpc/${name}`, work)
  const authorized =
    (work: (account: Account, request: Request, response: Response) => unknown) =>
    (request: Request, response: Response) => {
      const found = authorize(world, sessions, request)
      return 'status' in found ? send(response, found) : work(found, request, response)
    }

  router.use(
    '/xrpc/com.atproto.repo.uploadBlob',
    express.raw({ type: () => true, limit: BLOB_LIMIT }),
  )
  router.use(express.json())
  call('get', 'com.atproto.server.describeServer', (_, response) =>
    response.json({
      did: 'did:web:sandbox.test',
      availableUserDomains: ['.sandbox.test'],
      inviteCodeRequired: true,
    }),
  )
  call('post', 'com.atproto.server.createSession', (request, response) => {
    const window = countLogin(
      String((request.body as { identifier?: unknown } | undefined)?.identifier),
    )
    send(
      response,
      window.isExceeded ? rateLimited(window) : createSession(world, sessions, request.body),
    )
  })
  call('post', 'com.atproto.server.refreshSession', (request, response) =>
    send(response, refreshSession(world, sessions, request)),
  )
  call(
    'get',
    'com.atproto.server.getSession',
    authorized((account, _, response) => response.json(showSession(account))),
  )
  call('post', 'com.atproto.server.deleteSession', (request, response) => {
    sessions.delete(/^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '')
    response.end()
  })
  call(
    'post',
    'com.atproto.repo.uploadBlob',
    authorized((account, request, response) =>
      send(response, storeBlob(world, account.id, request)),
    ),
  )
  for (const kind of ['create', 'put'] as const)
    call(
      'post',
      `com.atproto.repo.${kind}Record`,
      authorized((account, request, response) => {
        const window = countWrite(account.id)
        response.set(limitHeaders(window))
        if (window.isExceeded) return send(response, rateLimited(window))
        return commit(world, response, account, errors(world), () =>
          writeRecord(world, account, request.body, kind),
        )
      }),
    )
  call('get', 'com.atproto.repo.getRecord', (request, response) =>
    send(response, getRecord(world, request)),
  )
  call('get', 'com.atproto.repo.listRecords', (request, response) =>
    send(response, listRecords(world, request)),
  )
  call('get', 'com.atproto.identity.resolveHandle', (request, response) =>
    send(response, resolveHandle(world, request)),
  )
  call('get', 'app.bsky.actor.getProfile', (request, response) =>
    send(response, getProfile(world, request)),
  )
  router.get('/profile/:handle/post/:rkey', (request, response) =>
    showPage(world, request, response),
  )
  router.use((_, response) =>
    send(response, xrpcError(501, 'MethodNotImplemented', 'Method Not Implemented')),
  )
  return router
}

function errors(world: World): PlatformErrors {
  return {
    server: () => xrpcError(500, 'InternalServerError', 'Internal Server Error'),
    authExpired: () => xrpcError(400, 'ExpiredToken', 'Token has expired'),
    rateLimited: () =>
      rateLimited({
        limit: WRITES_PER_HOUR,
        remaining: 0,
        resetsAt: world.now() + 1_000,
        isExceeded: true,
      }),
  }
}

function rateLimited(window: Window): Answer {
  return {
    ...xrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded'),
    headers: limitHeaders(window),
  }
}

function limitHeaders({ limit, remaining, resetsAt }: Window): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.ceil(resetsAt / 1000)),
    'ratelimit-policy': `${limit};w=3600`,
  }
}

function storeBlob(world: World, account: string, request: Request): Answer {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (bytes.length === 0)
    return xrpcError(
      400,
      'InvalidRequest',
      'Request encoding (Content-Type) required but not provided',
    )
  const mimeType = request.get('content-type') ?? 'application/octet-stream'
  const size = imageSize(bytes)
  const id = contentId(bytes, 0x55)
  const media: StoredMedia = {
    ...{ id, account, mimeType, sizeBytes: bytes.length, altText: null },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    width: size?.width ?? null,
    height: size?.height ?? null,
  }
  world.ledger.write({ kind: 'media', media })
  return {
    status: 200,
    body: { blob: { $type: 'blob', ref: { $link: id }, mimeType, size: bytes.length } },
  }
}

function resolveHandle({ ledger }: World, { query }: Request): Answer {
  const found = ledger.accounts.find(
    ({ platform, username }) => platform === 'BLUESKY' && username === query.handle,
  )
  return found
    ? { status: 200, body: { did: found.id } }
    : xrpcError(400, 'InvalidRequest', 'Unable to resolve handle')
}

function getProfile({ ledger }: World, { query }: Request): Answer {
  const found = ledger.accounts.find(
    ({ id, username }) => id === query.actor || username === query.actor,
  )
  return found
    ? {
        status: 200,
        body: { did: found.id, handle: found.username, displayName: found.username.split('.')[0] },
      }
    : xrpcError(400, 'InvalidRequest', 'Profile not found')
}

function showPage({ ledger }: World, request: Request, response: Response): void {
  const { handle, rkey } = request.params
  const post = ledger.posts.find(
    ({ platform, id }) => platform === 'BLUESKY' && id.endsWith(`/${String(rkey)}`),
  )
  if (!post) {
    response.status(404).type('html').send('<h1>Post not found</h1>')
    return
  }
  response
    .type('html')
    .send(
      `<!doctype html><title>@${escapeHtml(String(handle))}</title><p style="white-space:pre-wrap">${escapeHtml(post.text)}</p>`,
    )
}
