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
type TokenSecrets = z.infer<typeof TokenSecrets>

/** Credentials that have this form, what to store of them, and when they expire. Throws `ConnectError` `refused`. */
export function readToken(credentials: Record<string, string>): {
  accessToken: string
  secrets: Record<string, string>
  expiresAt: number | null
} {
  const { accessToken, refreshToken, expiresAt } = readCredentials(TokenSecrets, credentials)
  const secrets = {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  return { accessToken, secrets, expiresAt: expiresAtOf({ expiresAt }) }
}

/** What to store of a token answer; a platform that sends no new refresh token means the one it was asked with. */
export function secretsOf(
  { access_token, refresh_token, expires_in }: TokenAnswer,
  now: number,
  askedWith?: string,
): Record<string, string> {
  const refreshToken = refresh_token ?? askedWith
  const expiresAt = expiryOf(now, expires_in)
  return {
    accessToken: access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
  }
}

function expiresAtOf({ expiresAt }: Pick<TokenSecrets, 'expiresAt'>): number | null {
  return expiresAt === undefined ? null : Number(expiresAt)
}

/**
 * The stored token while it lasts, else a new one that `renew` asks the platform for. Throws `ConnectError`: `refused`
 * also when there is nothing to renew a dead token with.
 */
export async function storedOrRenewed(
  { secrets: stored, now, deadToken, aheadMs = AHEAD_MS }: TokenInput,
  name: string,
  renew: (refreshToken: string) => Promise<TokenAnswer>,
): Promise<FreshToken> {
  const secrets = TokenSecrets.safeParse(stored).data
  if (!secrets)
    throw new ConnectError(
      'refused',
      'The stored token is not complete. Connect the channel again.',
    )
  const { accessToken, refreshToken } = secrets
  const expiresAt = expiresAtOf(secrets)
  const isGood = accessToken !== deadToken && (expiresAt === null || expiresAt - now > aheadMs)
  if (isGood) return { token: accessToken, expiresAt }
  if (refreshToken === undefined)
    return withoutRenewal({ accessToken, expiresAt, isDead: accessToken === deadToken, now, name })
  const answer = await renew(refreshToken)
  return {
    token: answer.access_token,
    secrets: secretsOf(answer, now, refreshToken),
    expiresAt: expiryOf(now, answer.expires_in),
  }
}

/** A token that cannot be renewed is used to its last moment. */
function withoutRenewal(token: {
  accessToken: string
  expiresAt: number | null
  isDead: boolean
  now: number
  name: string
}): FreshToken {
  const { accessToken, expiresAt, isDead, now, name } = token
  if (!isDead && expiresAt !== null && expiresAt > now) return { token: accessToken, expiresAt }
  throw new ConnectError(
    'refused',
    `The access to ${name} has ended and cannot be renewed. Connect the channel again.`,
  )
}
