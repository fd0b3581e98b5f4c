import { createHash, randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { clientOf } from './oauth-apps.ts'
import type { Mastodon } from './tables.ts'

const CODE_LIVES_MS = 10 * 60_000
const Exchange = z.object({
  grant_type: z.string(),
  code: z.string().default(''),
  redirect_uri: z.string().default(''),
  code_verifier: z.string().optional(),
})

/** POST /oauth/token: a code becomes a token, once. Tokens do not expire. */
export function exchangeCode(mastodon: Mastodon, request: Request): Answer {
  const { core, codes, tokens } = mastodon
  const parsed = Exchange.safeParse(request.body)
  if (!parsed.success)
    return oauthError(400, 'invalid_request', 'Missing required parameter: grant_type.')
  const client = clientOf(mastodon, request)
  if (!client) return unknownClient()
  const { grant_type: grantType, code, redirect_uri: redirectUri, code_verifier } = parsed.data
  if (grantType !== 'authorization_code')
    return oauthError(
      400,
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
    )
  const grant = codes.get(code)
  const isGood =
    grant &&
    !grant.used &&
    grant.clientId === client.clientId &&
    grant.redirectUri === redirectUri &&
    core.clock.now() - grant.atMs < CODE_LIVES_MS &&
    (grant.challenge === null || grant.challenge === challengeOf(code_verifier))
  if (!isGood)
    return oauthError(
      400,
      'invalid_grant',
      'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    )
  codes.put(code, { ...grant, used: true })
  const accessToken = randomBytes(32).toString('base64url')
  const { account, scopes, clientId } = grant
  tokens.put(accessToken, {
    account,
    scopes,
    clientId,
    revoked: false,
    createdAt: core.clock.iso(),
  })
  return {
    status: 200,
    body: {
      access_token: accessToken,
      token_type: 'Bearer',
      scope: scopes.join(' '),
      created_at: Math.floor(core.clock.now() / 1000),
    },
  }
}

/** POST /oauth/revoke: a client gives back a token of its own; an unknown token is no error. */
export function revokeToken(mastodon: Mastodon, request: Request): Answer {
  const client = clientOf(mastodon, request)
  if (!client) return unknownClient()
  const { token = '' } =
    z.object({ token: z.string() }).partial().safeParse(request.body).data ?? {}
  const granted = mastodon.tokens.get(token)
  if (granted && granted.clientId !== client.clientId)
    return oauthError(403, 'unauthorized_client', 'You are not authorized to revoke this token')
  if (granted) mastodon.tokens.put(token, { ...granted, revoked: true })
  return { status: 200, body: {} }
}

function challengeOf(verifier: string | undefined): string | undefined {
  return verifier && createHash('sha256').update(verifier).digest('base64url')
}

function unknownClient(): Answer {
  return oauthError(
    401,
    'invalid_client',
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  )
}

function oauthError(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } }
}
