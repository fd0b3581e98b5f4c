import express, { type Request, type Response, Router } from 'express'
import { commit, type PlatformErrors } from '../../commit.ts'
import { escapeHtml } from '../../count.ts'
import type { Account } from '../../ledger.ts'
import { rateLimiter, type Window } from '../../rate-limit.ts'
import { type Answer, send } from '../../respond.ts'
import { findAccount, type World } from '../../world.ts'
import { accountOf, showAccount } from './accounts.ts'
import { instanceV1, instanceV2 } from './instance.ts'
import { readMedia, storeMedia } from './media.ts'
import { oauthRouter } from './oauth.ts'
import { createStatus, type IdempotencyKeys, showStatus } from './statuses.ts'
import { readUpload } from './upload.ts'

const UNAUTHORIZED: Answer = { status: 401, body: { error: 'The access token is invalid' } }
const NOT_FOUND: Answer = { status: 404, body: { error: 'Record not found' } }

/** A stand-in of a Mastodon server. */
export function mastodonRouter(world: World): Router {
  const router = Router()
  const keys: IdempotencyKeys = new Map()
  const countCall = rateLimiter(300, 300_000, world.now)
  const countMedia = rateLimiter(30, 1_800_000, world.now)
  const host = () => new URL(world.url()).host
  router.use(express.json(), express.urlencoded({ extended: true }))
  router.get('/api/v1/instance', (_, response) => void response.json(instanceV1(host())))
  router.get('/api/v2/instance', (_, response) => void response.json(instanceV2(host())))
  router.use(oauthRouter(world))

  const authorized =
    (
      count: (key: string) => Window,
      work: (account: Account, request: Request, response: Response) => unknown,
    ) =>
    async (request: Request, response: Response) => {
      const account = accountOf(world, request)
      if (!account) return send(response, UNAUTHORIZED)
      const window = count(account.id)
      response.set(limitHeaders(window))
      if (window.isExceeded) return send(response, errors(world).rateLimited())
      await work(account, request, response)
    }

  router.get(
    '/api/v1/accounts/verify_credentials',
    authorized(countCall, (account, _, response) => response.json(showAccount(world, account))),
  )
  router.get(
    '/api/v1/accounts/:id/statuses',
    authorized(countCall, (_, request, response) => send(response, listStatuses(world, request))),
  )
  router.get(
    '/api/v1/statuses/:id',
    authorized(countCall, (_, request, response) => send(response, readStatus(world, request))),
  )
  router.post(
    '/api/v1/statuses',
    authorized(countCall, (account, request, response) =>
      commit(world, response, account, errors(world), () =>
        createStatus(world, keys, account, request.body, request.get('idempotency-key')),
      ),
    ),
  )
  router.post(
    '/api/v2/media',
    authorized(countMedia, async (account, request, response) => {
      const upload = await readUpload(request)
      send(
        response,
        upload
          ? storeMedia(world, account.id, upload)
          : { status: 422, body: { error: "Validation failed: File can't be blank" } },
      )
    }),
  )
  router.get(
    '/api/v1/media/:id',
    authorized(countCall, (account, request, response) =>
      send(response, readMedia(world, account.id, String(request.params.id))),
    ),
  )
  router.get('/@:username/:id', (request, response) => showPage(world, request, response))
  router.use((_, response) => send(response, NOT_FOUND))
  return router
}

function errors(world: World): PlatformErrors {
  return {
    server: () => ({ status: 500, body: { error: 'Something went wrong on our end' } }),
    authExpired: () => UNAUTHORIZED,
    rateLimited: () => ({
      status: 429,
      body: { error: 'Too many requests' },
      headers: limitHeaders({
        limit: 300,
        remaining: 0,
        resetsAt: world.now() + 1_000,
        isExceeded: true,
      }),
    }),
  }
}

function limitHeaders({ limit, remaining, resetsAt }: Window): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': new Date(resetsAt).toISOString(),
  }
}

function listStatuses(world: World, request: Request): Answer {
  const account = findAccount(world, 'MASTODON', ({ id }) => id === request.params.id)
  if (!account) return NOT_FOUND
  const { limit, max_id: maxId, since_id: sinceId, min_id: minId } = request.query
  const after = sinceId ?? minId
  const posts = world.ledger.posts
    .filter((post) => post.platform === 'MASTODON' && post.account === account.id)
    .filter(({ id }) => typeof maxId !== 'string' || BigInt(id) < BigInt(maxId))
    .filter(({ id }) => typeof after !== 'string' || BigInt(id) > BigInt(after))
    .toReversed()
    .slice(0, Math.min(Number(limit ?? 20) || 20, 40))
  return { status: 200, body: posts.map((post) => showStatus(world, account, post)) }
}

function readStatus(world: World, request: Request): Answer {
  const post = world.ledger.posts.find(({ id }) => id === request.params.id)
  const account = post && world.ledger.accounts.find(({ id }) => id === post.account)
  return post && account ? { status: 200, body: showStatus(world, account, post) } : NOT_FOUND
}

function showPage(world: World, request: Request, response: Response): void {
  const { username, id } = request.params
  const post = world.ledger.posts.find((one) => one.platform === 'MASTODON' && one.id === id)
  if (!post) return send(response, NOT_FOUND)
  response
    .type('html')
    .send(
      `<!doctype html><title>@${escapeHtml(String(username))}</title><p style="white-space:pre-wrap">${escapeHtml(post.text)}</p>`,
    )
}
