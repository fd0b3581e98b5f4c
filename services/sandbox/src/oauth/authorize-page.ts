import { z } from 'zod'
import { type Answer, type Call, Refusal } from '../call.ts'
import { html, pageAnswer } from '../html.ts'
import { readForm } from '../read-form.ts'
import type { Operation, World } from '../stand-in.ts'
import { APP, type Provider } from './provider.ts'

const Fields = z.record(z.string(), z.string())
type Fields = Record<string, string>
type Asked = {
  fields: Fields
  redirectUri: string
  scopes: string[]
  challenge: string | undefined
}

/** The page of a platform where a person lets the sandbox's app in, and the button on it. */
export function authorizeOperations(world: World, provider: Provider): Operation[] {
  const path = provider.options.authorizePath
  return [
    { method: 'get', path, kind: 'page', handle: (call) => show(world, provider, call) },
    { method: 'post', path, kind: 'page', handle: (call) => decide(provider, call) },
  ]
}

function show(world: World, provider: Provider, { query }: Call): Answer {
  const { name, authorizePath } = provider.options
  const asked = readAsked(provider, Object.fromEntries(query))
  const accounts = provider.accounts()
  if (accounts.length === 0) refusePage('There is no account yet. Make one at the sandbox first.')
  const hidden = Object.entries(asked.fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`,
  )
  return pageAnswer(
    200,
    `${name}: authorize an app`,
    html`<h1>${name}: an app would like to use your account</h1>
      <p class="dim">It asks for: ${asked.scopes.join(', ')}</p>
      <form method="post" action="${world.baseUrl()}${authorizePath}">
        ${hidden}
        <label
          >Account
          <select name="sandbox_account">
            ${accounts.map(({ id, username }) => html`<option value="${id}">${username}</option>`)}
          </select></label
        >
        <button name="sandbox_decision" value="approve">Authorize</button>
        <button name="sandbox_decision" value="deny">Deny</button>
      </form>`,
  )
}

async function decide(provider: Provider, call: Call): Promise<Answer> {
  const form = Fields.safeParse((await readForm(call))?.fields)
  const { sandbox_account: accountId = '', sandbox_decision: decision, ...fields } = form.data ?? {}
  const asked = readAsked(provider, fields)
  if (decision !== 'approve')
    return redirect(asked, {
      error: 'access_denied',
      error_description: 'The user denied the request.',
    })
  if (!provider.account(accountId)) refusePage('There is no such account.')
  const { redirectUri, scopes, challenge } = asked
  return redirect(asked, { code: provider.approve({ accountId, redirectUri, scopes, challenge }) })
}

/** Until the app and the address are known to be good, nobody is sent anywhere: problems are shown as a page. */
function readAsked({ options }: Provider, fields: Fields): Asked {
  const { clientIdName = 'client_id', scopeSeparator = ' ', requiresPkce } = options
  if (fields[clientIdName] !== APP.id) refusePage(`Invalid ${clientIdName}.`)
  const redirectUri = fields['redirect_uri'] ?? ''
  if (!URL.canParse(redirectUri) || !/^https?:/.test(redirectUri))
    refusePage('Invalid redirect_uri.')
  if (fields['response_type'] !== 'code') refusePage('Invalid response_type: it must be code.')
  const scopes = (fields['scope'] ?? '').split(scopeSeparator).filter(Boolean)
  if (scopes.length === 0) refusePage('Invalid scope: there is none.')
  const challenge = fields['code_challenge']
  if (requiresPkce && !challenge) refusePage('Invalid code_challenge: it is required.')
  if (challenge && fields['code_challenge_method'] !== 'S256')
    refusePage('Invalid code_challenge_method: it must be S256.')
  return { fields, redirectUri, scopes, challenge }
}

function redirect({ redirectUri, fields }: Asked, result: Record<string, string>): Answer {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value)
  if (fields['state'] !== undefined) url.searchParams.set('state', fields['state'])
  return { status: 302, headers: { location: url.href }, body: '' }
}

function refusePage(message: string): never {
  throw new Refusal(
    pageAnswer(
      400,
      'Error',
      html`<h1>Something went wrong</h1>
        <p>${message}</p>`,
    ),
  )
}
