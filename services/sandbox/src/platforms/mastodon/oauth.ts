import { createHash } from 'node:crypto'
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { randomToken } from '../../control.ts'
import { escapeHtml } from '../../count.ts'
import { accountKey } from '../../ledger.ts'
import { findAccount, type World } from '../../world.ts'

type App = { id: string; secret: string; name: string; redirectUris: string[] }
type Code = {
  app: string
  account: string
  redirectUri: string
  challenge: string | undefined
  until: number
}

const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob'
const CODE_LIFETIME_MS = 600_000

const Authorize = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string().default('read'),
  state: z.string().default(''),
  code_challenge: z.string().optional(),
  code_challenge_method: z.literal('S256').optional(),
})

/** Mastodon's OAuth: apps, a page where a person agrees, codes that work once, tokens that do not expire. */
export function oauthRouter(world: World): Router {
  const router = Router()
  const apps = new Map<string, App>()
  const codes = new Map<string, Code>()
  router.post('/api/v1/apps', (request, response) => {
    const { client_name: name, redirect_uris: uris } = request.body as Record<string, unknown>
    if (typeof name !== 'string' || (typeof uris !== 'string' && !Array.isArray(uris))) {
      response.status(422).json({ error: "Validation failed: Application name can't be blank" })
      return
    }
    const redirectUris = Array.isArray(uris) ? uris.map(String) : uris.split(/\s+/)
    const app = { id: randomToken(), secret: randomToken(), name, redirectUris }
    apps.set(app.id, app)
    response.json({
      ...{ id: app.id, name, website: null, client_id: app.id, client_secret: app.secret },
      redirect_uri: redirectUris.join('\n'),
    })
  })
  router.get('/oauth/authorize', (request, response) => showPage(world, apps, request, response))
  router.post('/oauth/authorize', (request, response) =>
    approve(world, apps, codes, request, response),
  )
  router.post('/oauth/token', (request, response) =>
    exchange(world, apps, codes, request, response),
  )
  router.post('/oauth/revoke', (request, response) => {
    const { token } = request.body as { token?: string }
    const account = findAccount(world, 'MASTODON', ({ secrets }) => secrets.accessToken === token)
    if (account) world.ledger.write({ kind: 'revoked', platform: 'MASTODON', id: account.id })
    response.json({})
  })
  return router
}

function showPage(
  world: World,
  apps: Map<string, App>,
  request: Request,
  response: Response,
): void {
  const parsed = Authorize.safeParse(request.query)
  const app = parsed.success ? apps.get(parsed.data.client_id) : undefined
  if (!parsed.success || !app?.redirectUris.includes(parsed.data.redirect_uri)) {
    response.status(400).type('html').send('<h1>The redirect uri included is not valid.</h1>')
    return
  }
  const options = world.ledger.accounts
    .filter(({ platform }) => platform === 'MASTODON')
    .map(({ id, username }) => `<option value="${id}">@${escapeHtml(username)}</option>`)
  const fields = Object.entries(parsed.data).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(String(value))}">`,
  )
  response.type('html').send(`<!doctype html><title>Authorize ${escapeHtml(app.name)}</title>
    <h1>Authorize ${escapeHtml(app.name)}?</h1>
    <form method="post"><select name="account">${options.join('')}</select>${fields.join('')}<button>Authorize</button></form>`)
}

function approve(
  world: World,
  apps: Map<string, App>,
  codes: Map<string, Code>,
  request: Request,
  response: Response,
): void {
  const parsed = Authorize.extend({ account: z.string() }).safeParse(request.body)
  const app = parsed.success ? apps.get(parsed.data.client_id) : undefined
  if (!parsed.success || !app?.redirectUris.includes(parsed.data.redirect_uri)) {
    response.status(400).type('html').send('<h1>The redirect uri included is not valid.</h1>')
    return
  }
  const { redirect_uri: redirectUri, state, account, code_challenge: challenge } = parsed.data
  const code = randomToken()
  codes.set(code, {
    app: app.id,
    account,
    redirectUri,
    challenge,
    until: world.now() + CODE_LIFETIME_MS,
  })
  if (redirectUri === OUT_OF_BAND) {
    response.type('html').send(`<p>Authorization code: <code>${code}</code></p>`)
    return
  }
  const target = new URL(redirectUri)
  target.searchParams.set('code', code)
  if (state !== '') target.searchParams.set('state', state)
  response.redirect(302, target.href)
}

function exchange(
  world: World,
  apps: Map<string, App>,
  codes: Map<string, Code>,
  request: Request,
  response: Response,
): void {
  const body = request.body as Record<string, string | undefined>
  const app = apps.get(body.client_id ?? '')
  if (!app || app.secret !== body.client_secret) {
    response
      .status(401)
      .json({ error: 'invalid_client', error_description: 'Client authentication failed.' })
    return
  }
  const code = codes.get(body.code ?? '')
  codes.delete(body.code ?? '')
  const verifier = createHash('sha256')
    .update(body.code_verifier ?? '')
    .digest('base64url')
  const account = code && findAccount(world, 'MASTODON', ({ id }) => id === code.account)
  const isValid =
    code?.app === app.id &&
    code.redirectUri === body.redirect_uri &&
    code.until > world.now() &&
    (code.challenge === undefined || code.challenge === verifier)
  if (body.grant_type !== 'authorization_code' || !isValid || !account) {
    response.status(400).json({
      error: 'invalid_grant',
      error_description:
        'The provided authorization grant is invalid, expired, revoked, or does not match.',
    })
    return
  }
  world.ledger.revoked.delete(accountKey('MASTODON', account.id))
  response.json({
    access_token: account.secrets.accessToken,
    token_type: 'Bearer',
    scope: 'read write',
    created_at: Math.floor(world.now() / 1000),
  })
}
