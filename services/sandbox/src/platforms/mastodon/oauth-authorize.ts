import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { z } from 'zod'
import { escapeHtml, htmlPage, sendPage } from '../../html.ts'
import { OUT_OF_BAND } from './oauth-apps.ts'
import { covers, parseScopes } from './scopes.ts'
import type { App, Mastodon } from './tables.ts'

const Ask = z.object({
  response_type: z.string().default(''),
  client_id: z.string().default(''),
  redirect_uri: z.string().default(''),
  scope: z.string().default('read'),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
})
type Ask = z.infer<typeof Ask>
const Decision = z.object({ account: z.string().optional(), decision: z.enum(['allow', 'deny']) })

/** GET /oauth/authorize: asks the person which account may be used. There is no login; nothing here is secret. */
export function askPerson(mastodon: Mastodon) {
  return ({ query }: Request, response: Response): void => {
    const checked = check(mastodon, query, response)
    if (!checked) return
    const { ask, app, scopes } = checked
    const hidden = Object.entries(ask).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value ?? '')}">`,
    )
    const accounts = mastodon.accounts
      .all()
      .map(({ id, username }) => `<option value="${id}">@${escapeHtml(username)}</option>`)
    sendPage(
      response,
      200,
      htmlPage(
        'Authorization required',
        `<main><h1>${escapeHtml(app.name)} asks for access</h1>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="${escapeHtml(mastodon.url)}/oauth/authorize">${hidden.join('')}
<p><label>Account <select name="account">${accounts.join('')}</select></label></p>
<button name="decision" value="allow">Authorize</button> <button name="decision" value="deny">Deny</button></form></main>`,
      ),
    )
  }
}

/** POST /oauth/authorize: what the person decided, sent to the client with the redirect. */
export function takeDecision(mastodon: Mastodon) {
  return ({ body }: Request, response: Response): void => {
    const checked = check(mastodon, body, response)
    if (!checked) return
    const { ask, scopes } = checked
    const { decision, account = '' } = Decision.safeParse(body).data ?? { decision: 'deny' }
    if (decision === 'deny' || !mastodon.accounts.get(account)) {
      sendBack(response, ask, {
        error: 'access_denied',
        error_description: 'The resource owner or authorization server denied the request.',
      })
      return
    }
    const code = randomBytes(32).toString('base64url')
    mastodon.codes.put(code, {
      clientId: ask.client_id,
      redirectUri: ask.redirect_uri,
      account,
      scopes,
      challenge: ask.code_challenge || null,
      atMs: mastodon.core.clock.now(),
      used: false,
    })
    if (ask.redirect_uri !== OUT_OF_BAND) sendBack(response, ask, { code })
    else sendPage(response, 200, htmlPage('Code', `<main><code>${code}</code></main>`))
  }
}

/**
 * Checks what a client asks for and answers what is wrong. As long as the client and its address are not known to be
 * right, nothing may be sent there.
 */
function check(
  { apps }: Mastodon,
  given: unknown,
  response: Response,
): { ask: Ask; app: App; scopes: string[] } | undefined {
  const ask = Ask.safeParse(given).data
  const app = apps.get(ask?.client_id ?? '')
  if (!ask || !app) {
    explain(response, 401, 'Client authentication failed due to unknown client.')
    return undefined
  }
  if (!app.redirectUris.includes(ask.redirect_uri)) {
    explain(response, 400, 'The redirect uri included is not valid.')
    return undefined
  }
  const scopes = parseScopes(ask.scope)
  const problem = problemOf(ask, app, scopes)
  if (problem !== undefined) sendBack(response, ask, { error: problem })
  return problem === undefined && scopes ? { ask, app, scopes } : undefined
}

function problemOf(ask: Ask, app: App, scopes: string[] | undefined): string | undefined {
  if (ask.response_type !== 'code') return 'unsupported_response_type'
  if (!scopes || !covers(app.scopes, scopes)) return 'invalid_scope'
  if (ask.code_challenge && ask.code_challenge_method !== 'S256') return 'invalid_request'
  return undefined
}

function sendBack(response: Response, ask: Ask, answer: Record<string, string>): void {
  if (ask.redirect_uri === OUT_OF_BAND) {
    explain(response, 400, answer.error ?? '')
    return
  }
  const target = new URL(ask.redirect_uri)
  const { state } = ask
  for (const [name, value] of Object.entries({ ...answer, ...(state && { state }) }))
    target.searchParams.set(name, value)
  response.redirect(302, target.href)
}

function explain(response: Response, status: number, text: string): void {
  sendPage(
    response,
    status,
    htmlPage('An error has occurred', `<main><p>${escapeHtml(text)}</p></main>`),
  )
}
