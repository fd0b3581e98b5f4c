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
  refresh_token: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
})
type Fields = z.infer<typeof Fields>

/** `POST /oauth/v2/accessToken`. A refresh token stays the same, and so does the day on which it ends. */
export async function issueToken(site: Site, call: Call): Promise<Answer> {
  const { provider } = site
  const fields = await readFields(call)
  if (fields.client_id !== APP.id || fields.client_secret !== APP.secret)
    refuse(401, 'invalid_client', 'Client authentication failed')
  switch (fields.grant_type) {
    case 'authorization_code': {
      const { code = '', redirect_uri: redirectUri = '' } = fields
      const token = provider.exchange({ code, redirectUri })
      return token
        ? tokenAnswer(site, token)
        : refuse(
            400,
            'invalid_request',
            'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists',
          )
    }
    case 'refresh_token': {
      const token = provider.refresh(fields.refresh_token ?? '')
      return token
        ? tokenAnswer(site, token)
        : refuse(
            400,
            'invalid_grant',
            'The provided authorization grant or refresh token is invalid, expired or revoked.',
          )
    }
    case undefined:
    default:
      return refuse(400, 'invalid_request', 'A required parameter "grant_type" is missing')
  }
}

/** Whose a code is, so that faults can be armed for one account. */
export async function accountOfCode({ provider }: Site, call: Call): Promise<string | undefined> {
  const { code = '' } = await readFields(call).catch((): Fields => ({}))
  return provider.ownerOf(code)
}

function tokenAnswer({ now }: Site, token: Token): Answer {
  const secondsTo = (at: number | null) => Math.floor(((at ?? 0) - now()) / 1000)
  return jsonAnswer(200, {
    access_token: token.accessToken,
    expires_in: secondsTo(token.expiresAt),
    refresh_token: token.refreshToken,
    refresh_token_expires_in: secondsTo(token.refreshExpiresAt),
    scope: token.scopes.join(','),
    token_type: 'Bearer',
  })
}

async function readFields(call: Call): Promise<Fields> {
  const fields = Fields.safeParse((await readForm(call))?.fields)
  return fields.success ? fields.data : refuse(400, 'invalid_request', 'The request is malformed.')
}

function refuse(status: number, error: string, description: string): never {
  throw new Refusal(jsonAnswer(status, { error, error_description: description }))
}
