import { z } from 'zod'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import {
  askForToken,
  basicAuth,
  codeOf,
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
import { secretsOf, storedOrRenewed, TokenSecrets } from '../stored-token.ts'
import { form, userAgent } from './api.ts'
import { identify } from './identify.ts'

/** `history` is for looking up what the account has posted. */
const SCOPES = 'identity submit read flair history'

/** One account from one grant. Access lasts a day; the refresh token stays the same until it is revoked. */
export const redditOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => ({
    url: withQuery(settings['authorizeUrl'] ?? '', {
      client_id: requireSetting(settings, 'clientId', 'REDDIT_CLIENT_ID'),
      response_type: 'code',
      state,
      redirect_uri: redirectUri,
      duration: 'permanent',
      scope: SCOPES,
    }),
    kept: {},
  }),
  finish: async ({ settings, redirectUri, query, now }, deps) => {
    const code = codeOf(query, 'Reddit')
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const secrets = secretsOf(await askReddit(settings, grant, deps), now)
    return [await identify({ credentials: secrets, settings }, deps)]
  },
  revoke,
}

/** The stored token while it lasts, else a new one. Throws `ConnectError`. */
export function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  return storedOrRenewed(input, 'Reddit', (refreshToken) =>
    askReddit(input.settings, { grant_type: 'refresh_token', refresh_token: refreshToken }, deps),
  )
}

function askReddit(
  settings: Settings,
  grant: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  return askForToken(
    {
      name: 'Reddit',
      url: settings['tokenUrl'] ?? '',
      form: grant,
      headers: { ...appAuth(settings), ...userAgent(settings) },
      isDead: isDeadGrant,
    },
    deps,
  )
}

/** Ends the grant: with its refresh token all of it. */
async function revoke(
  { settings, secrets: stored }: { settings: Settings; secrets: Record<string, string> },
  deps?: HttpDeps,
): Promise<void> {
  const secrets = TokenSecrets.safeParse(stored).data
  if (!secrets) return
  const { accessToken, refreshToken } = secrets
  const { contentType, body } = form({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
  })
  const headers = { ...appAuth(settings), ...userAgent(settings), ...contentType }
  const url = settings['revokeUrl'] ?? ''
  const { status } = await ask('Reddit', { method: 'POST', url, headers, body }, deps)
  if (status < 200 || status > 299)
    throw new ConnectError('unavailable', `Reddit did not end the grant (status ${status}).`)
}

function appAuth(settings: Settings): Record<string, string> {
  return basicAuth(
    requireSetting(settings, 'clientId', 'REDDIT_CLIENT_ID'),
    requireSetting(settings, 'clientSecret', 'REDDIT_CLIENT_SECRET'),
  )
}

const DeadGrant = z.object({ error: z.union([z.literal('invalid_grant'), z.literal(400)]) })

/** A code that is not good is refused with status 200, and a refresh token that is not good as a bad request. */
function isDeadGrant({ status, text }: HttpResponse): boolean {
  return (status === 200 || status === 400) && readJson(DeadGrant, text) !== undefined
}
