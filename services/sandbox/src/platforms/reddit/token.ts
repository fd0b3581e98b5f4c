import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import type { Token } from '../../oauth/state.ts'
import { isFromApp, textsOf } from '../../oauth/token-request.ts'
import { errorAnswer, refuse } from './refusals.ts'
import type { Reddit } from './server.ts'

/** `POST /api/v1/access_token`: a bad code is refused with status 200, a bad refresh token as a bad request. */
export async function issueToken({ provider, now }: Reddit, call: Call): Promise<Answer> {
  requireApp(call)
  const { grant_type, code, redirect_uri, refresh_token } = await textsOf(call)
  if (grant_type === 'authorization_code') {
    const token = provider.exchange({ code: code ?? '', redirectUri: redirect_uri ?? '' })
    return token ? tokenAnswer(token, now) : jsonAnswer(200, { error: 'invalid_grant' })
  }
  if (grant_type !== 'refresh_token') return jsonAnswer(200, { error: 'unsupported_grant_type' })
  const token = provider.refresh(refresh_token ?? '')
  return token ? tokenAnswer({ ...token, refreshToken: null }, now) : errorAnswer(400)
}

/** `POST /api/v1/revoke_token`: nobody learns whether there was such a token. */
export async function revokeToken({ provider }: Reddit, call: Call): Promise<Answer> {
  requireApp(call)
  const { token } = await textsOf(call)
  if (!token) refuse(400)
  provider.revokeToken(token)
  return { status: 204, headers: {}, body: '' }
}

/** Whose code a call for a token brings. */
export async function accountOfCode({ provider }: Reddit, call: Call): Promise<string | undefined> {
  return provider.ownerOf((await textsOf(call))['code'] ?? '')
}

function requireApp(call: Call): void {
  if (!isFromApp(call)) refuse(401, { headers: { 'www-authenticate': 'Basic realm="reddit"' } })
}

function tokenAnswer(
  { accessToken, refreshToken, scopes, expiresAt }: Token,
  now: () => number,
): Answer {
  return jsonAnswer(200, {
    access_token: accessToken,
    token_type: 'bearer',
    ...(expiresAt !== null && { expires_in: Math.floor((expiresAt - now()) / 1000) }),
    scope: scopes.join(' '),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  })
}
