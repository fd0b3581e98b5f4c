import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { randomText } from '../../random-text.ts'
import { readForm } from '../../read-form.ts'
import { findApp } from './apps.ts'
import type { Instance } from './instance.ts'
import { refuse } from './refusals.ts'
import { mayAskFor, readScopes } from './scopes.ts'
import type { App, Token } from './state.ts'

const Fields = z.object({
  grant_type: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  redirect_uri: z.string().optional(),
  code: z.string().optional(),
  code_verifier: z.string().optional(),
  scope: z.string().optional(),
  token: z.string().optional(),
})
type Fields = z.infer<typeof Fields>

/** `POST /oauth/token`. Tokens never expire, and there are no refresh tokens. */
export async function issueToken(instance: Instance, call: Call): Promise<Answer> {
  const fields = await readFields(call)
  switch (fields.grant_type) {
    case 'authorization_code':
      return exchangeCode(instance, call, fields)
    case 'client_credentials': {
      const app = authenticateApp(instance, call, fields)
      const scopes = readScopes(fields.scope)
      if (!scopes || !mayAskFor(app.scopes, scopes))
        refuse(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.')
      return issue(instance, { appId: app.id, accountId: null, scopes })
    }
    case undefined:
      return refuse(400, 'invalid_request', 'Missing required parameter: grant_type.')
    default:
      return refuse(
        400,
        'unsupported_grant_type',
        'The authorization grant type is not supported by the authorization server.',
      )
  }
}

/** `POST /oauth/revoke`. A token that is unknown is revoked as well as can be. */
export async function revokeToken(instance: Instance, call: Call): Promise<Answer> {
  const fields = await readFields(call)
  const app = appOf(instance, call, fields)
  const token = instance.state.tokens.get(fields.token ?? '')
  if (!app || (token && token.appId !== app.id))
    refuse(403, 'unauthorized_client', 'You are not authorized to revoke this token')
  if (token) instance.record({ type: 'tokens-revoked', tokens: [token.token] })
  return jsonAnswer(200, {})
}

/** Whose a code is, so that faults can be armed for one account. */
export async function accountOfCode(instance: Instance, call: Call): Promise<string | undefined> {
  const { code } = await readFields(call).catch((): Fields => ({}))
  return instance.codes.find(code ?? '')?.accountId
}

function exchangeCode(instance: Instance, call: Call, fields: Fields): Answer {
  const app = authenticateApp(instance, call, fields)
  if (!fields.code) refuse(400, 'invalid_request', 'Missing required parameter: code.')
  const grant = instance.codes.take(fields.code)
  const isRight =
    grant?.clientId === app.clientId &&
    grant.redirectUri === fields.redirect_uri &&
    (grant.codeChallenge === undefined || grant.codeChallenge === challengeOf(fields))
  if (!isRight)
    refuse(
      400,
      'invalid_grant',
      'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    )
  return issue(instance, { appId: app.id, accountId: grant.accountId, scopes: grant.scopes })
}

/** The S256 challenge of the verifier (RFC 7636). */
function challengeOf({ code_verifier }: Fields): string | undefined {
  return code_verifier && createHash('sha256').update(code_verifier).digest('base64url')
}

function issue(instance: Instance, granted: Omit<Token, 'token'>): Answer {
  const token = randomText()
  instance.record({ type: 'token-issued', token: { ...granted, token } })
  return jsonAnswer(200, {
    access_token: token,
    token_type: 'Bearer',
    scope: granted.scopes.join(' '),
    created_at: Math.floor(instance.now() / 1000),
  })
}

function authenticateApp(instance: Instance, call: Call, fields: Fields): App {
  return (
    appOf(instance, call, fields) ??
    refuse(
      401,
      'invalid_client',
      'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
    )
  )
}

/** The app whose id and secret stand in the body or in basic authentication. */
function appOf(instance: Instance, call: Call, fields: Fields): App | undefined {
  const basic = /^Basic +(\S+)$/i.exec(call.headers.authorization ?? '')?.[1]
  const [id, secret] =
    basic === undefined
      ? [fields.client_id, fields.client_secret]
      : Buffer.from(basic, 'base64').toString().split(':')
  const app = findApp(instance, id)
  return app?.clientSecret === secret ? app : undefined
}

async function readFields(call: Call): Promise<Fields> {
  const fields = Fields.safeParse((await readForm(call))?.fields)
  return fields.success ? fields.data : refuse(400, 'invalid_request', 'The request is malformed.')
}
