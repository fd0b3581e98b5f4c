import { z } from 'zod'
import { askPlatform } from '../call.ts'
import { jsonOf } from '../http.ts'
import { ConnectError, type FreshToken } from '../platform.ts'
import { XrpcError } from './errors.ts'

/** A login: two tokens and whose they are. */
export const Session = z.object({
  accessJwt: z.string(),
  refreshJwt: z.string(),
  did: z.string(),
  handle: z.string(),
})
export type Session = z.infer<typeof Session>

const REFUSED = 'Bluesky does not accept this handle and app password.'
/** A token is renewed when it is good for less than this. */
const SPARE_MS = 120_000

/** Logs in with a handle (or e-mail address) and an app password. */
export function createSession(
  baseUrl: string,
  identifier: string,
  password: string,
): Promise<Session> {
  return askPlatform(
    {
      method: 'POST',
      url: `${baseUrl}/xrpc/com.atproto.server.createSession`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier, password }),
    },
    Session,
    isRefused,
  )
}

/**
 * A token that is good for some minutes: the one that is kept, else one from the refresh token, which can be used
 * once, else a new login. Only a login that is refused means that the grant is dead.
 */
export async function freshToken(input: {
  baseUrl: string
  secrets: Record<string, string>
  now: number
  deadToken?: string | undefined
}): Promise<FreshToken> {
  const { baseUrl, secrets, now, deadToken } = input
  const { accessJwt = '', refreshJwt, identifier = '', appPassword = '' } = secrets
  if (accessJwt !== deadToken && expiryOf(accessJwt) > now + SPARE_MS) return { token: accessJwt }
  const session =
    (refreshJwt && (await refresh(baseUrl, refreshJwt))) ||
    (await createSession(baseUrl, identifier, appPassword))
  return { token: session.accessJwt, secrets: secretsOf(session, secrets) }
}

/** What is kept of a login. */
export function secretsOf(session: Session, login: Record<string, string>): Record<string, string> {
  const { accessJwt, refreshJwt } = session
  return { ...login, accessJwt, refreshJwt }
}

async function refresh(baseUrl: string, refreshJwt: string): Promise<Session | undefined> {
  try {
    return await askPlatform(
      {
        method: 'POST',
        url: `${baseUrl}/xrpc/com.atproto.server.refreshSession`,
        headers: { authorization: `Bearer ${refreshJwt}` },
      },
      Session,
      isRefused,
    )
  } catch (error) {
    // A refresh token that is used up or revoked is no reason to give up: the app password may be good.
    if (error instanceof ConnectError && error.kind === 'refused') return undefined
    throw error
  }
}

const REFUSALS = new Set([
  'AuthenticationRequired',
  'AccountTakedown',
  'ExpiredToken',
  'InvalidToken',
  'AuthFactorTokenRequired',
])

function isRefused({ status, body }: { status: number; body: unknown }): string | false {
  const { error } = XrpcError.safeParse(body).data ?? {}
  return (status === 400 || status === 401) && REFUSALS.has(error ?? '') ? REFUSED : false
}

/** When a JWT expires, in milliseconds since 1970; 0 for one that does not say. */
function expiryOf(jwt: string): number {
  const payload = jsonOf(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  return (z.object({ exp: z.number() }).safeParse(payload).data?.exp ?? 0) * 1000
}
