import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
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

/** `video.list` is for looking up photos. */
const SCOPES = 'user.info.basic,video.publish,video.list'

/** One account from one grant. Access lasts a day, a refresh token a year, and it may be another after each renewal. */
export const tiktokOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => ({
    url: withQuery(addressOf(settings['authorizeUrl'] ?? '', '/'), {
      client_key: requireSetting(settings, 'clientId', 'TIKTOK_CLIENT_ID'),
      response_type: 'code',
      scope: SCOPES,
      redirect_uri: redirectUri,
      state,
    }),
    kept: {},
  }),
  finish: async ({ settings, redirectUri, query, now }, deps) => {
    const code = codeOf(query, 'TikTok')
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const credentials = secretsOf(await askTiktok(settings, grant, deps), now)
    return [await identify({ credentials, settings }, deps)]
  },
  revoke,
}

/** The stored token while it lasts, else a new one. Throws `ConnectError`. */
export function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  return storedOrRenewed(input, 'TikTok', (refreshToken) =>
    askTiktok(input.settings, { grant_type: 'refresh_token', refresh_token: refreshToken }, deps),
  )
}

function askTiktok(
  settings: Settings,
  grant: Record<string, string>,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const url = addressOf(settings['tokenUrl'] ?? '', '/')
  const form = { ...appOf(settings), ...grant }
  return askForToken({ name: 'TikTok', url, form, isDead }, deps)
}

function appOf(settings: Settings) {
  return {
    client_key: requireSetting(settings, 'clientId', 'TIKTOK_CLIENT_ID'),
    client_secret: requireSetting(settings, 'clientSecret', 'TIKTOK_CLIENT_SECRET'),
  }
}

const Refusal = z.object({ error: z.string() })

/** TikTok may say so with the status of a success. */
function isDead({ status, text }: HttpResponse): boolean {
  return status < 500 && readJson(Refusal, text)?.error === 'invalid_grant'
}

/** Ends the grant. A token that TikTok does not know any more has ended already. */
async function revoke(
  { settings, secrets: stored }: { settings: Settings; secrets: Record<string, string> },
  deps?: HttpDeps,
): Promise<void> {
  const secrets = TokenSecrets.safeParse(stored).data
  if (!secrets) return
  const response = await ask(
    'TikTok',
    {
      method: 'POST',
      url: addressOf(settings['revokeUrl'] ?? '', '/'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...appOf(settings), token: secrets.accessToken }).toString(),
    },
    deps,
  )
  const error = readJson(Refusal, response.text)?.error
  if ((response.status === 200 && error === undefined) || isDead(response)) return
  throw new ConnectError(
    'unavailable',
    `TikTok did not end the access (${error ?? `status ${response.status}`}).`,
  )
}
