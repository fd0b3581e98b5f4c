import { z } from 'zod'
import { Secret } from './credentials.ts'
import { expiryOf, type TokenAnswer } from './oauth.ts'
import { ConnectError, type FreshToken, type TokenInput } from './platform.ts'

const MARGIN_MS = 60_000

/** What is stored of a grant of OAuth 2. `expiresAt` is the access token's, in milliseconds since 1970. */
export const StoredGrant = z.strictObject({
  accessToken: Secret,
  refreshToken: Secret.optional(),
  expiresAt: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})
export type StoredGrant = z.infer<typeof StoredGrant>

/** When a stored access token expires, in milliseconds since 1970; null when that is not known. */
export function storedExpiry({ expiresAt }: { expiresAt?: string | undefined }): number | null {
  return expiresAt === undefined ? null : Number(expiresAt)
}

/** What to store of an answer. One without a refresh token leaves the old one in force. */
export function grantOf(
  answer: TokenAnswer,
  now: number,
  oldRefreshToken?: string,
): Record<string, string> {
  const refreshToken = answer.refresh_token ?? oldRefreshToken
  const expiresAt = expiryOf(now, answer.expires_in)
  return {
    accessToken: answer.access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
  }
}

/** Secrets without what is not there. */
export function withoutGaps(secrets: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

/** How a platform renews a grant. Both throw `ConnectError`. */
export type Renewal = {
  /** For people. */
  name: string
  renew: (refreshToken: string) => Promise<TokenAnswer>
  /** Asks the platform whether an access token that it refused is dead, and throws `refused` if it is. */
  requireAlive: (accessToken: string) => Promise<void>
}

/**
 * The stored token while it lasts, else a new one. A token that was refused and cannot be renewed is shown to the platform
 * again, because only the platform can say that it is dead.
 */
export async function freshGrant(
  { secrets, now, deadToken, aheadMs = MARGIN_MS }: TokenInput,
  { name, renew, requireAlive }: Renewal,
): Promise<FreshToken> {
  const grant = StoredGrant.strip().safeParse(secrets).data
  if (!grant)
    throw new ConnectError('refused', 'There is no access token. Connect the channel again.')
  const { accessToken: token, refreshToken } = grant
  const expiresAt = storedExpiry(grant)
  const isDue = expiresAt !== null && expiresAt - now <= aheadMs
  if (token !== deadToken && !isDue) return { token, expiresAt }
  if (refreshToken === undefined) {
    if (expiresAt !== null && expiresAt <= now)
      throw new ConnectError(
        'refused',
        `The access to ${name} has expired. Connect the channel again.`,
      )
    if (token === deadToken) await requireAlive(token)
    return { token, expiresAt }
  }
  const answer = await renew(refreshToken)
  return {
    token: answer.access_token,
    secrets: { ...secrets, ...grantOf(answer, now, refreshToken) },
    expiresAt: expiryOf(now, answer.expires_in),
  }
}
