import { z } from 'zod'
import { type Answer, type Call, Refusal } from '../../call.ts'
import { html, pageAnswer } from '../../html.ts'
import { readForm } from '../../read-form.ts'
import { findApp, OUT_OF_BAND } from './apps.ts'
import type { Instance } from './instance.ts'
import { mayAskFor, readScopes } from './scopes.ts'
import type { App } from './state.ts'

const Fields = z.object({
  response_type: z.string().optional(),
  client_id: z.string().optional(),
  redirect_uri: z.string().optional(),
  scope: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
  account: z.string().optional(),
  decision: z.string().optional(),
})
type Fields = z.infer<typeof Fields>
type Asked = { fields: Fields; app: App; redirectUri: string; scopes: string[] }

/** `GET /oauth/authorize`: the page where a person lets an app in. */
export function showAuthorize(instance: Instance, call: Call): Answer {
  const asked = readAsked(instance, Fields.parse(Object.fromEntries(call.query)))
  const accounts = [...instance.state.accounts.values()]
  if (accounts.length === 0) refusePage('There is no account yet. Make one at the sandbox first.')
  const { response_type, client_id, redirect_uri, scope, state } = asked.fields
  const { code_challenge, code_challenge_method } = asked.fields
  const kept = {
    response_type,
    client_id,
    redirect_uri,
    scope,
    state,
    code_challenge,
    code_challenge_method,
  }
  const hidden = Object.entries(kept).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`],
  )
  return pageAnswer(
    200,
    'Authorization required',
    html`<h1>${asked.app.name} would like to use your account</h1>
      <p class="dim">It asks for: ${asked.scopes.join(', ')}</p>
      <form method="post" action="${instance.baseUrl()}/oauth/authorize">
        ${hidden}
        <label
          >Account
          <select name="account">
            ${accounts.map(({ id, username }) => html`<option value="${id}">@${username}</option>`)}
          </select></label
        >
        <button name="decision" value="approve">Authorize</button>
        <button name="decision" value="deny">Deny</button>
      </form>`,
  )
}

/** `POST /oauth/authorize`: a button of that page. */
export async function decideAuthorize(instance: Instance, call: Call): Promise<Answer> {
  const form = await readForm(call)
  const asked = readAsked(instance, Fields.parse(form?.fields ?? {}))
  const { fields, app, redirectUri, scopes } = asked
  if (fields.decision !== 'approve')
    return redirect(asked, {
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request.',
    })
  const account = instance.state.accounts.get(fields.account ?? '')
  if (!account) refusePage('There is no such account.')
  const code = instance.codes.issue({
    clientId: app.clientId,
    accountId: account.id,
    redirectUri,
    scopes,
    codeChallenge: fields.code_challenge,
  })
  if (redirectUri !== OUT_OF_BAND) return redirect(asked, { code })
  return pageAnswer(
    200,
    'Authorization code',
    html`<h1>Copy this authorization code to ${app.name}</h1>
      <pre>${code}</pre>`,
  )
}

/** Until the app and its address are known to be good, nobody is sent anywhere: problems are shown as a page. */
function readAsked(instance: Instance, fields: Fields): Asked {
  const app = findApp(instance, fields.client_id)
  if (!app)
    refusePage(
      'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
    )
  const redirectUri = fields.redirect_uri ?? ''
  if (!app.redirectUris.includes(redirectUri)) refusePage('The redirect uri included is not valid.')
  if (fields.response_type !== 'code')
    refusePage('The authorization server does not support this response type.')
  const scopes = readScopes(fields.scope)
  if (!scopes || !mayAskFor(app.scopes, scopes))
    refusePage('The requested scope is invalid, unknown, or malformed.')
  if (fields.code_challenge !== undefined && fields.code_challenge_method !== 'S256')
    refusePage('The code challenge method must be S256.')
  return { fields, app, redirectUri, scopes }
}

function redirect({ redirectUri, fields }: Asked, result: Record<string, string>): Answer {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value)
  if (fields.state !== undefined) url.searchParams.set('state', fields.state)
  return { status: 302, headers: { location: url.href }, body: '' }
}

function refusePage(message: string): never {
  throw new Refusal(
    pageAnswer(
      400,
      'Error',
      html`<h1>An error has occurred</h1>
        <p>${message}</p>`,
    ),
  )
}
