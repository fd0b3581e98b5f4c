import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import { formFields } from '../../form-fields.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import type { Operation } from '../../stand-in.ts'
import type { Youtube } from './server.ts'

/** The pages on which a person lets the app in. A code remembers whether it was asked for with `access_type=offline`. */
export function consentPages(youtube: Youtube): Operation[] {
  return authorizeOperations(youtube, youtube.provider).map((operation) => ({
    ...operation,
    handle: async (call) => {
      const answer = await operation.handle(call)
      const location = answer.headers['location']
      const code = location === undefined ? null : new URL(location).searchParams.get('code')
      if (code !== null && (await formFields(call))['access_type'] === 'offline')
        youtube.offlineCodes.add(code)
      return answer
    },
  }))
}

/** `POST /token` */
export async function issueToken(youtube: Youtube, call: Call): Promise<Answer> {
  const { provider, offlineCodes, now } = youtube
  const fields = await formFields(call)
  const { grant_type, code = '', redirect_uri = '', refresh_token = '' } = fields
  if (fields['client_id'] !== APP.id || fields['client_secret'] !== APP.secret)
    refuse(401, 'invalid_client', 'The OAuth client was not found.')
  if (grant_type === 'authorization_code') {
    const verifier = fields['code_verifier']
    const token = provider.exchange({ code, redirectUri: redirect_uri, verifier })
    if (!token) refuse(400, 'invalid_grant', 'Malformed auth code.')
    return tokenAnswer(token, now(), offlineCodes.delete(code))
  }
  if (grant_type !== 'refresh_token')
    refuse(400, 'unsupported_grant_type', `Invalid grant_type: ${grant_type ?? ''}`)
  const token = provider.refresh(refresh_token)
  if (!token) refuse(400, 'invalid_grant', 'Token has been expired or revoked.')
  return tokenAnswer(token, now(), false)
}

/** `POST /revoke`: ends the whole grant, by either of its tokens. */
export async function revokeToken({ provider }: Youtube, call: Call): Promise<Answer> {
  const token = (await formFields(call))['token'] ?? ''
  const isKnown = provider.revokeToken(token)
  if (!isKnown) refuse(400, 'invalid_token', 'Token expired or revoked')
  return jsonAnswer(200, {})
}

/** Whose code a call for a token brings. */
export async function accountOfCode(
  { provider }: Youtube,
  call: Call,
): Promise<string | undefined> {
  return provider.ownerOf((await formFields(call))['code'] ?? '')
}

function tokenAnswer(token: Token, now: number, withRefresh: boolean): Answer {
  return jsonAnswer(200, {
    access_token: token.accessToken,
    expires_in: Math.floor(((token.expiresAt ?? now) - now) / 1000),
    ...(withRefresh && { refresh_token: token.refreshToken }),
    scope: token.scopes.join(' '),
    token_type: 'Bearer',
  })
}

function refuse(status: number, error: string, description: string): never {
  throw new Refusal(jsonAnswer(status, { error, error_description: description }))
}
