import { z } from 'zod'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import {
  askForToken,
  basicAuth,
  codeOf,
  pkce,
  requireSetting,
  type TokenAnswer,
  withQuery,
} from '../oauth.ts'
import {
  ConnectError,
  type FreshToken,
  type HttpDeps,
  type OAuth,
  type Settings,
  type TokenInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { secretsOf, storedOrRenewed } from '../stored-token.ts'
import { identify, readMe } from './identify.ts'
import { X_SETTINGS } from './settings.ts'

const SCOPES = 'tweet.read tweet.write users.read media.write offline.access'

/** OAuth 2 with PKCE. An app with a secret proves itself with it, one without names its id alone. */
export const xOauth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => {
    const { verifier, challenge } = pkce()
    const url = withQuery(withDefaults(settings).authorizeUrl, {
      response_type: 'code',
      client_id: requireSetting(settings, 'clientId', 'X_CLIENT_ID'),
      redirect_uri: redirectUri,
      scope: SCOPES,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    return { url, kept: { verifier } }
  },
  finish: async ({ baseUrl, settings, redirectUri, now, kept, query }, deps) => {
    const code = codeOf(query, 'X')
    const answer = await tokenFor(
      settings,
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: kept['verifier'] ?? '',
      },
      deps,
    )
    const credentials = secretsOf(answer, now)
    return [await identify({ baseUrl, settings, credentials }, deps)]
  },
  /** Ending the refresh token ends what was made of it. */
  revoke: async ({ settings, secrets }, deps) => {
    const token = secrets['refreshToken'] ?? secrets['accessToken'] ?? ''
    const { headers, form } = clientOf(settings, { token })
    const { status } = await ask(
      'X',
      {
        method: 'POST',
        url: withDefaults(settings).revokeUrl,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(form).toString(),
      },
      deps,
    )
    // A token that X does not know any more is revoked as well as can be.
    if (status !== 200 && status !== 400)
      throw new ConnectError('unavailable', `X did not end the access (status ${status}).`)
  },
}

/** The stored token while it lasts, else a new one. A refresh token is good once, and the answer has the next one. */
export async function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  const { settings } = input
  return await storedOrRenewed(
    input,
    'X',
    (refreshToken) =>
      tokenFor(settings, { grant_type: 'refresh_token', refresh_token: refreshToken }, deps),
    async (token) => void (await readMe({ settings, token }, 'unavailable', deps)),
  )
}

function tokenFor(
  settings: Settings,
  fields: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const { headers, form } = clientOf(settings, fields)
  const url = withDefaults(settings).tokenUrl
  return askForToken({ name: 'X', url, form, headers, isDead }, deps)
}

function clientOf(settings: Settings, form: Record<string, string>) {
  const clientId = requireSetting(settings, 'clientId', 'X_CLIENT_ID')
  const { clientSecret } = settings
  return clientSecret === undefined
    ? { headers: {}, form: { ...form, client_id: clientId } }
    : { headers: basicAuth(clientId, clientSecret), form }
}

const Refusal = z.object({ error: z.string(), error_description: z.string().nullish() })

/** X calls a used-up, expired or revoked token an invalid request, and says in words what it means. */
function isDead({ status, text }: HttpResponse): boolean {
  const refusal = readJson(Refusal, text)
  const isAboutToken = /(token|authorization code) was invalid/i.test(
    refusal?.error_description ?? '',
  )
  return (
    (status === 400 || status === 401) &&
    (refusal?.error === 'invalid_grant' || (refusal?.error === 'invalid_request' && isAboutToken))
  )
}

function withDefaults(settings: Settings) {
  return { ...X_SETTINGS, ...settings }
}
