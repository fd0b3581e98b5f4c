import { askForToken, codeOf, requireSetting, type TokenAnswer, withQuery } from '../oauth.ts'
import {
  ConnectError,
  type FreshToken,
  type HttpDeps,
  type OAuth,
  type Settings,
  type TokenInput,
} from '../platform.ts'
import { secretsOf, storedOrRenewed, TokenSecrets } from '../stored-token.ts'
import { identifyAll, requireAlive } from './identify.ts'
import { LINKEDIN_SETTINGS } from './settings.ts'

/**
 * OAuth 2 of an app with a secret. One grant connects the member and the pages that the member administers, so it is not
 * revoked when one of them is disconnected.
 */
export const linkedinOauth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => {
    const { authorizeUrl, scopes } = withDefaults(settings)
    const url = withQuery(authorizeUrl, {
      response_type: 'code',
      client_id: requireSetting(settings, 'clientId', 'LINKEDIN_CLIENT_ID'),
      redirect_uri: redirectUri,
      state,
      scope: scopes,
    })
    return { url, kept: {} }
  },
  finish: async ({ settings, redirectUri, now, query }, deps) => {
    const code = codeOf(query, 'LinkedIn')
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const answer = await tokenFor(settings, form, deps)
    const grant = TokenSecrets.parse(secretsOf(answer, now))
    const scope = answer.scope ?? withDefaults(settings).scopes
    const granted = await identifyAll(grant, { settings, scope }, deps)
    if (granted.length > 0) return granted
    throw new ConnectError(
      'refused',
      'LinkedIn granted access to no account that can be posted to.',
    )
  },
}

/** The stored token while it lasts, else a new one, which LinkedIn gives to some apps only. */
export async function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  const { settings } = input
  return await storedOrRenewed(
    input,
    'LinkedIn',
    (refreshToken) =>
      tokenFor(settings, { grant_type: 'refresh_token', refresh_token: refreshToken }, deps),
    (token) => requireAlive(settings, token, deps),
  )
}

function tokenFor(
  settings: Settings,
  fields: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const form = {
    ...fields,
    client_id: requireSetting(settings, 'clientId', 'LINKEDIN_CLIENT_ID'),
    client_secret: requireSetting(settings, 'clientSecret', 'LINKEDIN_CLIENT_SECRET'),
  }
  return askForToken({ name: 'LinkedIn', url: withDefaults(settings).tokenUrl, form }, deps)
}

function withDefaults(settings: Settings) {
  return { ...LINKEDIN_SETTINGS, ...settings }
}
