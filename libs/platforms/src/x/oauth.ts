import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import {
  askForToken,
  basicAuth,
  codeOf,
  expiryOf,
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
import { identify, readMe, Secrets } from './identify.ts'
import { X_SETTINGS } from './settings.ts'
import { z } from 'zod'

const SCOPES = 'tweet.read tweet.write users.read media.write offline.access'
const MARGIN_MS = 60_000

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

/**
 * The stored token while it lasts, else a new one. A refresh token is good once, and the answer has the next one. A token
 * that X refused and that cannot be renewed is shown to X again, because only X can say that it is dead.
 */
export async function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  const { settings, now, deadToken, aheadMs = MARGIN_MS } = input
  const secrets = Secrets.safeParse(input.secrets).data
  if (!secrets)
    throw new ConnectError('refused', 'There is no access token. Connect the channel again.')
  const { accessToken: token, refreshToken } = secrets
  const expiresAt = secrets.expiresAt === undefined ? null : Number(secrets.expiresAt)
  const isDue = expiresAt !== null && expiresAt - now <= aheadMs
  if (token !== deadToken && !isDue) return { token, expiresAt }
  if (refreshToken === undefined) {
    if (expiresAt !== null && expiresAt <= now)
      throw new ConnectError('refused', 'The access to X has expired. Connect the channel again.')
    if (token === deadToken) await readMe({ settings, token }, 'unavailable', deps)
    return { token, expiresAt }
  }
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  const renewed = secretsOf(await tokenFor(settings, form, deps), now, refreshToken)
  return {
    token: renewed['accessToken'] ?? '',
    secrets: renewed,
    expiresAt: renewed['expiresAt'] === undefined ? null : Number(renewed['expiresAt']),
  }
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

function secretsOf(
  answer: TokenAnswer,
  now: number,
  refreshToken?: string,
): Record<string, string> {
  const next = answer.refresh_token ?? refreshToken
  const expiresAt = expiryOf(now, answer.expires_in)
  return {
    accessToken: answer.access_token,
    ...(next !== undefined && { refreshToken: next }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
  }
}

function withDefaults(settings: Settings) {
  return { ...X_SETTINGS, ...settings }
}
