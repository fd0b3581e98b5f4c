import type { HttpResponse } from '../http.ts'
import {
  askForToken,
  basicAuth,
  codeOf,
  requireSetting,
  type TokenAnswer,
  withQuery,
} from '../oauth.ts'
import type { FreshToken, HttpDeps, OAuth, Settings, TokenInput } from '../platform.ts'
import { secretsOf, storedOrRenewed } from '../stored-token.ts'
import { PINTEREST_ERRORS } from './errors.ts'
import { identify } from './identify.ts'

const SCOPES = 'user_accounts:read,boards:read,boards:write,pins:read,pins:write'

/**
 * One account from one grant. Refreshing is continuous: each refresh gives another refresh token, good for 60 days.
 * There is no call that ends a grant; people do that in their settings.
 */
export const pinterestOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => ({
    url: withQuery(`${settings['authorizeUrl'] ?? ''}/`, {
      client_id: requireSetting(settings, 'clientId', 'PINTEREST_CLIENT_ID'),
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: SCOPES,
      state,
    }),
    kept: {},
  }),
  finish: async ({ settings, redirectUri, query, now }, deps) => {
    const code = codeOf(query, 'Pinterest')
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const secrets = secretsOf(await askPinterest(settings, grant, deps), now)
    return [await identify({ credentials: secrets, settings }, deps)]
  },
}

/** The stored token while it lasts, else a new one. Throws `ConnectError`. */
export function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  return storedOrRenewed(input, 'Pinterest', (refreshToken) =>
    askPinterest(
      input.settings,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      deps,
    ),
  )
}

function askPinterest(
  settings: Settings,
  grant: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const id = requireSetting(settings, 'clientId', 'PINTEREST_CLIENT_ID')
  const secret = requireSetting(settings, 'clientSecret', 'PINTEREST_CLIENT_SECRET')
  return askForToken(
    {
      name: 'Pinterest',
      url: settings['tokenUrl'] ?? '',
      // Apps from before September 2025 get a refresh token that ends after a year unless they say so.
      form: { ...grant, continuous_refresh: 'true' },
      headers: basicAuth(id, secret),
      isDead: isDeadGrant,
    },
    deps,
  )
}

/** Pinterest refuses an app that it does not know with 401 too, so the status alone does not end a grant. */
function isDeadGrant({ status, text }: HttpResponse): boolean {
  const { code, message = '' } = PINTEREST_ERRORS.read(text)
  const namesGrant = code === '283' || /grant|refresh token|authorization code/i.test(message)
  return (status === 400 || status === 401) && namesGrant
}
