import { z } from 'zod'
import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { Token } from '../../oauth/state.ts'
import { readForm } from '../../read-form.ts'
import type { Site } from './site.ts'

const Fields = z.object({
  grant_type: z.string().optional(),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  refresh_token: z.string().optional(),
  token: z.string().optional(),
})
type Fields = z.infer<typeof Fields>

/** `POST /2/oauth2/token`: a code or a refresh token for an access token of two hours. */
export async function issueToken({ provider }: Site, call: Call): Promise<Answer> {
  requireApp(call)
  const fields = await readFields(call)
  switch (fields.grant_type) {
    case 'authorization_code': {
      const token = provider.exchange({
        code: fields.code ?? '',
        redirectUri: fields.redirect_uri ?? '',
        verifier: fields.code_verifier,
      })
      return token ? tokenAnswer(token) : refuseValue('authorization code')
    }
    case 'refresh_token': {
      const token = provider.refresh(fields.refresh_token ?? '')
      return token ? tokenAnswer(token) : refuseValue('token')
    }
    case undefined:
    default:
      return refuse(400, 'unsupported_grant_type', 'Missing or unsupported grant_type.')
  }
}

/** `POST /2/oauth2/revoke` */
export async function revokeToken({ provider }: Site, call: Call): Promise<Answer> {
  requireApp(call)
  const { token = '' } = await readFields(call)
  if (token === '') refuse(400, 'invalid_request', 'Missing required parameter [token].')
  provider.revokeToken(token)
  return jsonAnswer(200, { revoked: true })
}

/** Whose a code is, so that faults can be armed for one account. */
export async function accountOfCode({ provider }: Site, call: Call): Promise<string | undefined> {
  const { code = '' } = await readFields(call).catch((): Fields => ({}))
  return provider.ownerOf(code)
}

/** There is a refresh token for who asked for the scope alone. */
function tokenAnswer({ accessToken, refreshToken, scopes }: Token): Answer {
  return jsonAnswer(200, {
    token_type: 'bearer',
    expires_in: 7200,
    access_token: accessToken,
    scope: scopes.join(' '),
    ...(scopes.includes('offline.access') && { refresh_token: refreshToken }),
  })
}

/** The sandbox's app has a secret, and proves itself with it in the header. */
function requireApp({ headers }: Call): void {
  const basic = /^Basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const expected = `${APP.id}:${APP.secret}`
  if (Buffer.from(basic, 'base64').toString() !== expected)
    refuse(401, 'unauthorized_client', 'Missing valid authorization header')
}

async function readFields(call: Call): Promise<Fields> {
  const fields = Fields.safeParse((await readForm(call))?.fields)
  return fields.success ? fields.data : refuse(400, 'invalid_request', 'The request is malformed.')
}

function refuseValue(what: string): never {
  refuse(400, 'invalid_request', `Value passed for the ${what} was invalid.`)
}

function refuse(status: number, error: string, description: string): never {
  throw new Refusal(jsonAnswer(status, { error, error_description: description }))
}
