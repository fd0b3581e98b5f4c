import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import { formFields } from '../../form-fields.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import { randomText } from '../../random-text.ts'
import type { Tiktok } from './server.ts'

/** `POST /v2/oauth/token/`: a refresh token works once, and the answer has the next one. */
export async function issueToken({ provider, now }: Tiktok, call: Call): Promise<Answer> {
  const fields = await formFields(call)
  requireApp(call, fields)
  const { grant_type, code = '', redirect_uri = '', refresh_token = '' } = fields
  const verifier = fields['code_verifier']
  if (grant_type === 'authorization_code')
    return tokenAnswer(provider.exchange({ code, redirectUri: redirect_uri, verifier }), now())
  if (grant_type === 'refresh_token') return tokenAnswer(provider.refresh(refresh_token), now())
  return refuse(400, 'unsupported_grant_type', 'The grant type is not supported.')
}

/** `POST /v2/oauth/revoke/` */
export async function revokeToken({ provider }: Tiktok, call: Call): Promise<Answer> {
  const fields = await formFields(call)
  requireApp(call, fields)
  if (!provider.revokeToken(fields['token'] ?? ''))
    refuse(400, 'invalid_grant', 'The token is invalid or expired.')
  return jsonAnswer(200, {})
}

/** Whose code a call for a token brings. */
export async function accountOfCode({ provider }: Tiktok, call: Call): Promise<string | undefined> {
  return provider.ownerOf((await formFields(call))['code'] ?? '')
}

function requireApp({ headers }: Call, fields: Record<string, string>): void {
  if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
    refuse(400, 'invalid_request', 'Only `application/x-www-form-urlencoded` is supported.')
  if (fields['client_key'] !== APP.id || fields['client_secret'] !== APP.secret)
    refuse(401, 'invalid_client', 'Client key or secret is incorrect.')
}

function tokenAnswer(token: Token | undefined, now: number): Answer {
  if (!token) return refuse(400, 'invalid_grant', 'The grant is invalid or expired.')
  const { accountId, accessToken, refreshToken, scopes, expiresAt, refreshExpiresAt } = token
  const left = (at: number | null) => Math.floor(((at ?? now) - now) / 1000)
  return jsonAnswer(200, {
    access_token: accessToken,
    expires_in: left(expiresAt),
    open_id: accountId,
    refresh_expires_in: left(refreshExpiresAt),
    refresh_token: refreshToken,
    scope: scopes.join(','),
    token_type: 'Bearer',
  })
}

function refuse(status: number, error: string, description: string): never {
  throw new Refusal(
    jsonAnswer(status, { error, error_description: description, log_id: randomText(12) }),
  )
}
