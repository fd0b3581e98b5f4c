import { z } from 'zod'
import { ask } from '../ask.ts'
import { askForToken, codeOf, requireSetting, type TokenAnswer, withQuery } from '../oauth.ts'
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
import { identify } from './identify.ts'

const SCOPES =
  'https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly'

/** One channel from one grant: Google lets the person choose it. Access lasts an hour, the refresh token stays. */
export const youtubeOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => ({
    url: withQuery(settings['authorizeUrl'] ?? '', {
      client_id: requireSetting(settings, 'clientId', 'YOUTUBE_CLIENT_ID'),
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: SCOPES,
      state,
      // Google gives a refresh token for these two alone: the first says so, the second makes it do so every time.
      access_type: 'offline',
      prompt: 'consent',
    }),
    kept: {},
  }),
  finish: async ({ settings, redirectUri, query, now }, deps) => {
    const code = codeOf(query, 'YouTube')
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const credentials = secretsOf(await askGoogle(settings, grant, deps), now)
    return [await identify({ credentials, settings }, deps)]
  },
  revoke,
}

/** The stored token while it lasts, else a new one. Throws `ConnectError`. */
export function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  return storedOrRenewed(input, 'YouTube', (refreshToken) =>
    askGoogle(input.settings, { grant_type: 'refresh_token', refresh_token: refreshToken }, deps),
  )
}

function askGoogle(
  settings: Settings,
  grant: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const app = {
    client_id: requireSetting(settings, 'clientId', 'YOUTUBE_CLIENT_ID'),
    client_secret: requireSetting(settings, 'clientSecret', 'YOUTUBE_CLIENT_SECRET'),
  }
  const url = settings['tokenUrl'] ?? ''
  return askForToken({ name: 'Google', url, form: { ...app, ...grant } }, deps)
}

const Refusal = z.object({ error: z.string() })

/** Ends the grant: with its refresh token all of it. A token that Google does not know any more is ended already. */
async function revoke(
  { settings, secrets: stored }: { settings: Settings; secrets: Record<string, string> },
  deps?: HttpDeps,
): Promise<void> {
  const secrets = TokenSecrets.safeParse(stored).data
  if (!secrets) return
  const token = secrets.refreshToken ?? secrets.accessToken
  const { status, text } = await ask(
    'Google',
    {
      method: 'POST',
      url: settings['revokeUrl'] ?? '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token }).toString(),
    },
    deps,
  )
  if (status === 200 || readJson(Refusal, text)?.error === 'invalid_token') return
  throw new ConnectError('unavailable', `Google did not end the access (status ${status}).`)
}
