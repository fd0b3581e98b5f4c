import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ask } from './ask.ts'
import type { HttpResponse } from './http.ts'
import { ConnectError, type HttpDeps, type Settings } from './platform.ts'
import { readJson } from './read-json.ts'
import { oneLine } from './refusal.ts'

/** What OAuth 2 token endpoints answer (RFC 6749, section 5.1), and what else they say. Lifetimes are in seconds. */
export const TokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish(),
  refresh_expires_in: z.coerce.number().positive().nullish(),
  scope: z.string().nullish(),
})
export type TokenAnswer = z.infer<typeof TokenAnswer>

const TokenRefusal = z.object({ error: z.string(), error_description: z.string().nullish() })

/** A verifier and its S256 challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** An address with a query; fields without a value are left out. */
export function withQuery(url: string, query: Record<string, string | undefined>): string {
  const result = new URL(url)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) result.searchParams.set(name, value)
  return result.href
}

/** A setting that connecting cannot do without. Throws `ConnectError` `refused` with the name of the variable. */
export function requireSetting(settings: Settings, name: string, variable: string): string {
  const value = settings[name]
  if (value !== undefined) return value
  throw new ConnectError('refused', `This Herald has no app for the platform yet: set ${variable}.`)
}

/** The code that the platform sent the person back with. Throws `ConnectError` `refused` when it sent a refusal. */
export function codeOf(query: Record<string, string>, name: string): string {
  const { code, error, error_description: description } = query
  if (code) return code
  const said = oneLine(description || error || 'there is no code')
  throw new ConnectError('refused', `${name} did not grant access: ${said}.`)
}

/** HTTP Basic for an app (RFC 6749, section 2.3.1). */
export function basicAuth(id: string, secret: string): Record<string, string> {
  const pair = [id, secret].map(encodeURIComponent).join(':')
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

export type TokenRequest = {
  /** For people: `X`. */
  name: string
  url: string
  form: Record<string, string>
  headers?: Record<string, string>
  /**
   * Whether this answer says for certain that the grant is dead: only then is the error `refused`. Unless given, an
   * `invalid_grant` with a status of 400 or 401.
   */
  isDead?: (response: HttpResponse) => boolean
}

/** Asks a token endpoint with a form. Throws `ConnectError`. */
export async function askForToken(
  { name, url, form, headers, isDead = isInvalidGrant }: TokenRequest,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const response = await ask(
    name,
    {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    },
    deps,
  )
  const answer = response.status === 200 ? readJson(TokenAnswer, response.text) : undefined
  if (answer) return answer
  const refusal = readJson(TokenRefusal, response.text)
  const said = oneLine(refusal?.error_description || refusal?.error || `status ${response.status}`)
  if (isDead(response))
    throw new ConnectError('refused', `${name} does not accept the grant any more: ${said}.`)
  throw new ConnectError('unavailable', `${name} gave no token: ${said}.`)
}

function isInvalidGrant({ status, text }: HttpResponse): boolean {
  return (
    (status === 400 || status === 401) && readJson(TokenRefusal, text)?.error === 'invalid_grant'
  )
}

/** When a token of this lifetime expires, in milliseconds since 1970; null when the platform does not say. */
export function expiryOf(now: number, seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : now + seconds * 1000
}
