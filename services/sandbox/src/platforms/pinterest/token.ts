import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import type { Token } from '../../oauth/state.ts'
import { isFromApp, textsOf } from '../../oauth/token-request.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import type { Pinterest } from './server.ts'

/** `POST /v5/oauth/token` */
export async function issueToken({ provider, now }: Pinterest, call: Call): Promise<Answer> {
  if (!isFromApp(call)) refuse(401, 2, 'Authentication failed.')
  const { grant_type, code, redirect_uri, refresh_token } = await textsOf(call)
  if (grant_type === 'authorization_code') {
    const token = provider.exchange({ code: code ?? '', redirectUri: redirect_uri ?? '' })
    return token ? tokenAnswer(token, grant_type, now()) : refuseGrant()
  }
  if (grant_type !== 'refresh_token')
    refuseInvalid("'grant_type' is not one of authorization_code, refresh_token")
  const token = provider.refresh(refresh_token ?? '')
  return token ? tokenAnswer(token, grant_type, now()) : refuseGrant()
}

/** Whose code a call for a token brings. */
export async function accountOfCode(
  { provider }: Pinterest,
  call: Call,
): Promise<string | undefined> {
  return provider.ownerOf((await textsOf(call))['code'] ?? '')
}

function refuseGrant(): never {
  refuse(401, 283, 'The authorization grant is invalid')
}

function tokenAnswer(token: Token, responseType: string, now: number): Answer {
  const secondsUntil = (at: number | null) => Math.floor(((at ?? now) - now) / 1000)
  const refreshExpiresIn = secondsUntil(token.refreshExpiresAt)
  return jsonAnswer(200, {
    access_token: token.accessToken,
    token_type: 'bearer',
    response_type: responseType,
    expires_in: secondsUntil(token.expiresAt),
    scope: token.scopes.join(','),
    refresh_token: token.refreshToken,
    refresh_token_expires_in: refreshExpiresIn,
    refresh_token_expires_at: Math.floor(now / 1000) + refreshExpiresIn,
  })
}
