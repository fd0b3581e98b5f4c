import { z } from 'zod'
import { readCredentials, Secret } from './credentials.ts'
import { expiryOf, type TokenAnswer } from './oauth.ts'
import { ConnectError, type FreshToken, type TokenInput } from './platform.ts'

/** A token that expires sooner than this is renewed before it is used. */
const AHEAD_MS = 60_000

/**
 * What is stored of a grant that is renewed with a refresh token: `expiresAt` is in milliseconds since 1970. Credentials
 * that somebody got elsewhere have the same form, and may lack the refresh token or the time.
 */
export const TokenSecrets = z.strictObject({
  accessToken: Secret,
  refreshToken: Secret.optional(),
  expiresAt: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})
export type TokenSecrets = z.infer<typeof TokenSecrets>

/** Credentials that have this form, what to store of them, and when they expire. Throws `ConnectError` `refused`. */
export function readToken(credentials: Record<string, string>): {
  accessToken: string
  secrets: Record<string, string>
  expiresAt: number | null
} {
  const given = readCredentials(TokenSecrets, credentials)
  return {
    accessToken: given.accessToken,
    secrets: withoutGaps(given),
    expiresAt: storedExpiry(given),
  }
}

/** What to store of a token answer; a platform that sends no new refresh token means the one it was asked with. */
export function secretsOf(
  { access_token, refresh_token, expires_in }: TokenAnswer,
  now: number,
  askedWith?: string,
): Record<string, string> {
  return withoutGaps({
    accessToken: access_token,
    refreshToken: refresh_token ?? askedWith,
    expiresAt: expiryOf(now, expires_in)?.toString(),
  })
}

/** When a stored access token expires, in milliseconds since 1970; null when that is not known. */
export function storedExpiry({ expiresAt }: { expiresAt?: string | undefined }): number | null {
  return expiresAt === undefined ? null : Number(expiresAt)
}

/** Secrets without what is not there. */
export function withoutGaps(secrets: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

/**
 * The stored token while it lasts, else a new one that `renew` asks the platform for; what else is stored stays. A token
 * that was refused and cannot be renewed is shown to the platform again where `requireAlive` can do that, and is dead
 * otherwise. Throws `ConnectError`.
 */
export async function storedOrRenewed(
  { secrets: stored, now, deadToken, aheadMs = AHEAD_MS }: TokenInput,
  name: string,
  renew: (refreshToken: string) => Promise<TokenAnswer>,
  requireAlive: (accessToken: string) => Promise<void> = async () => {
    throw ended(name)
  },
): Promise<FreshToken> {
  const secrets = TokenSecrets.strip().safeParse(stored).data
  if (!secrets)
    throw new ConnectError(
      'refused',
      'The stored token is not complete. Connect the channel again.',
    )
  const { accessToken: token, refreshToken } = secrets
  const expiresAt = storedExpiry(secrets)
  const isGood = token !== deadToken && (expiresAt === null || expiresAt - now > aheadMs)
  if (isGood) return { token, expiresAt }
  if (refreshToken !== undefined) {
    const answer = await renew(refreshToken)
    const { expiresAt: _before, ...kept } = stored
    return {
      token: answer.access_token,
      secrets: { ...kept, ...secretsOf(answer, now, refreshToken) },
      expiresAt: expiryOf(now, answer.expires_in),
    }
  }
  // One that cannot be renewed is used to its last moment.
  if (expiresAt !== null && expiresAt <= now) throw ended(name)
  if (token === deadToken) await requireAlive(token)
  return { token, expiresAt }
}

function ended(name: string): ConnectError {
  return new ConnectError(
    'refused',
    `The access to ${name} has ended and cannot be renewed. Connect the channel again.`,
  )
}
