import { z } from 'zod'
import { addressOf } from './addresses.ts'
import { ask } from './ask.ts'
import type { HttpRequest } from './http.ts'
import { graphUrl } from './graph.ts'
import { isDeadToken, isRefused, readGraphError } from './graph-errors.ts'
import { codeOf, expiryOf, requireSetting, TokenAnswer, withQuery } from './oauth.ts'
import {
  ConnectError,
  type FreshToken,
  type GrantInput,
  type HttpDeps,
  type Settings,
  type TokenInput,
} from './platform.ts'
import { readJson } from './read-json.ts'
import { oneLine } from './refusal.ts'

/** Unless a caller says how early a token is renewed. */
const AHEAD_MS = 60_000

/** How Threads and Instagram give access: a token of an hour for a code, one of 60 days for that, and so on. */
export type LongLivedGrant = {
  /** For people: `Threads`. */
  name: string
  /** Of the settings' variables: `THREADS`. */
  prefix: string
  scopes: readonly string[]
  exchangeGrant: string
  refreshGrant: string
}

export type LongLivedToken = { accessToken: string; expiresAt: number | null }

/** Where a person grants access. Throws `ConnectError` when there is no app. */
export function authorizeUrl(
  grant: LongLivedGrant,
  { settings, redirectUri, state }: GrantInput & { state: string },
): string {
  return withQuery(settings['authorizeUrl'] ?? '', {
    client_id: requireSetting(settings, 'clientId', `${grant.prefix}_CLIENT_ID`),
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: grant.scopes.join(','),
    state,
  })
}

/** The long-lived token for the code that a person came back with. Throws `ConnectError`. */
export async function tokenForCode(
  grant: LongLivedGrant,
  { settings, redirectUri, now, query }: GrantInput & { query: Record<string, string> },
  deps?: HttpDeps,
): Promise<LongLivedToken> {
  const clientSecret = requireSetting(settings, 'clientSecret', `${grant.prefix}_CLIENT_SECRET`)
  const form = {
    client_id: requireSetting(settings, 'clientId', `${grant.prefix}_CLIENT_ID`),
    client_secret: clientSecret,
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code: codeOf(query, grant.name).replace(/#_$/, ''),
  }
  const short = await askForGraphToken(
    grant.name,
    {
      method: 'POST',
      url: settings['tokenUrl'] ?? '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    },
    (status) => status === 400 || status === 401,
    deps,
  )
  const long = await askForGraphToken(
    grant.name,
    {
      method: 'GET',
      url: addressOf(settings['apiUrl'] ?? '', '/access_token', {
        grant_type: grant.exchangeGrant,
        client_secret: clientSecret,
        access_token: short.access_token,
      }),
    },
    (_, text) => isDeadToken(text),
    deps,
  )
  return { accessToken: long.access_token, expiresAt: expiryOf(now, long.expires_in) }
}

/**
 * The stored token, renewed before it expires: an expired one cannot be. While it is good, a renewal that does not work
 * is no reason to do without it.
 */
export async function freshLongLived(
  grant: LongLivedGrant,
  input: TokenInput,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const { settings, secrets, now, deadToken, aheadMs = AHEAD_MS } = input
  const token = secrets['accessToken']
  if (!token)
    throw new ConnectError('refused', 'There is no access token. Connect the channel again.')
  if (deadToken === token) await requireAlive(grant.name, settings, token, deps)
  const expiresAt = secrets['expiresAt'] === undefined ? null : Number(secrets['expiresAt'])
  const kept: FreshToken = { token, expiresAt }
  if (expiresAt === null || expiresAt - now > aheadMs) return kept
  try {
    return await renew(grant, input, token, deps)
  } catch (error) {
    const isGood = expiresAt - now > AHEAD_MS
    if (isGood && error instanceof ConnectError && error.kind === 'unavailable') return kept
    throw error
  }
}

async function renew(
  grant: LongLivedGrant,
  { settings, secrets, now }: TokenInput,
  token: string,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const url = addressOf(settings['apiUrl'] ?? '', '/refresh_access_token', {
    grant_type: grant.refreshGrant,
    access_token: token,
  })
  const answer = await askForGraphToken(
    grant.name,
    { method: 'GET', url },
    (_, text) => isDeadToken(text),
    deps,
  )
  const expiresAt = expiryOf(now, answer.expires_in)
  return {
    token: answer.access_token,
    expiresAt,
    secrets: { ...secrets, ...secretsOf({ accessToken: answer.access_token, expiresAt }) },
  }
}

/** What is stored of a token. */
export function secretsOf({ accessToken, expiresAt }: LongLivedToken): Record<string, string> {
  return { accessToken, ...(expiresAt !== null && { expiresAt: String(expiresAt) }) }
}

/** Asks whether a token that was refused is dead. Throws `ConnectError` unless it is alive. */
export async function requireAlive(
  name: string,
  settings: Settings,
  token: string,
  deps?: HttpDeps,
): Promise<void> {
  const url = graphUrl(settings, '/me', { fields: 'id' })
  const headers = { authorization: `Bearer ${token}` }
  const { status, text } = await ask(name, { method: 'GET', url, headers }, deps)
  if (status === 200) return
  if (isDeadToken(text))
    throw new ConnectError('refused', `${name} does not accept the access token any more.`)
  throw new ConnectError('unavailable', `${name} answers with status ${status}.`)
}

/** Reads the profile of a token's owner. Throws `ConnectError`. */
export async function askProfile<Schema extends z.ZodType>(
  { name, settings, token }: { name: string; settings: Settings; token: string },
  fields: string,
  schema: Schema,
  deps?: HttpDeps,
): Promise<z.output<Schema>> {
  const url = graphUrl(settings, '/me', { fields })
  const headers = { authorization: `Bearer ${token}` }
  const { status, text } = await ask(name, { method: 'GET', url, headers }, deps)
  const profile = status === 200 ? readJson(schema, text) : undefined
  if (profile !== undefined) return profile
  const said = oneLine(readGraphError(text).message ?? `status ${status}`)
  throw new ConnectError(
    isRefused(text) ? 'refused' : 'unavailable',
    `${name} does not tell whose access token this is: ${said}.`,
  )
}

/** Instagram puts its answer into a list, by its documentation. */
const Answer = z.union([
  TokenAnswer,
  z.object({ data: z.tuple([TokenAnswer]) }).transform(({ data: [answer] }) => answer),
])

const OldError = z.object({ error_message: z.string() })

/** Asks for a token. `isDefinite` tells whether an answer is definite; throws `ConnectError`. */
export async function askForGraphToken(
  name: string,
  call: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  isDefinite: (status: number, text: string) => boolean,
  deps?: HttpDeps,
): Promise<TokenAnswer> {
  const { status, text } = await ask(name, call, deps)
  const answer = status === 200 ? readJson(Answer, text) : undefined
  if (answer) return answer
  const said = oneLine(
    readGraphError(text).message || readJson(OldError, text)?.error_message || `status ${status}`,
  )
  throw new ConnectError(
    isDefinite(status, text) ? 'refused' : 'unavailable',
    `${name} gave no token: ${said}.`,
  )
}
