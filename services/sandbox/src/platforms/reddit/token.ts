import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import { readForm } from '../../read-form.ts'
import { errorAnswer, refuse } from './refusals.ts'
import type { Reddit } from './server.ts'

/** `POST /api/v1/access_token`: a bad code is refused with status 200, a bad refresh token as a bad request. */
export async function issueToken({ provider, now }: Reddit, call: Call): Promise<Answer> {
  requireApp(call)
  const { grant_type, code, redirect_uri, refresh_token } = await fieldsOf(call)
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
  const { token } = await fieldsOf(call)
  if (!token) refuse(400)
  provider.revokeToken(token)
  return { status: 204, headers: {}, body: '' }
}

/** Whose code a call for a token brings. */
export async function accountOfCode({ provider }: Reddit, call: Call): Promise<string | undefined> {
  return provider.ownerOf((await fieldsOf(call))['code'] ?? '')
}

function requireApp({ headers }: Call): void {
  const basic = /^Basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const given = Buffer.from(basic, 'base64').toString()
  if (given !== `${APP.id}:${APP.secret}`)
    refuse(401, { headers: { 'www-authenticate': 'Basic realm="reddit"' } })
}

async function fieldsOf(call: Call): Promise<Record<string, string>> {
  const { fields = {} } = (await readForm(call)) ?? {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
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
