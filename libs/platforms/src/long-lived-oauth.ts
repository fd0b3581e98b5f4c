import { z } from 'zod'
import { readCredentials, Secret } from './credentials.ts'
import {
  askProfile,
  authorizeUrl,
  freshLongLived,
  type LongLivedGrant,
  secretsOf,
  tokenForCode,
} from './graph-tokens.ts'
import type { Connector, HttpDeps, Identity, IdentifyInput, OAuth, Settings } from './platform.ts'

/** Who an account is, as far as its profile tells. */
export type ProfiledAccount = Pick<Identity, 'account' | 'username' | 'avatarUrl'> & {
  name: string | null | undefined
}

/** How the owner of a token is read: the fields of `/me`, what comes back, and what it means. */
export type ProfileReading<Schema extends z.ZodType> = {
  fields: string
  schema: Schema
  accountOf: (profile: z.output<Schema>) => ProfiledAccount
}

const Credentials = z.strictObject({
  accessToken: Secret,
  expiresAt: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

/**
 * Access to an API whose tokens live for 60 days and are renewed before they end. Neither Threads nor Instagram has a call
 * that ends a grant; people do that in their apps.
 */
export function longLivedOAuth<Schema extends z.ZodType>(
  grant: LongLivedGrant,
  { fields, schema, accountOf }: ProfileReading<Schema>,
): Required<Pick<Connector, 'identify' | 'freshToken'>> & { oauth: OAuth } {
  /** Whose access token it is. */
  const identify = async (
    { settings, credentials }: IdentifyInput & { settings: Settings },
    deps?: HttpDeps,
  ): Promise<Identity> => {
    const { accessToken, expiresAt } = readCredentials(Credentials, credentials)
    const caller = { name: grant.name, settings, token: accessToken }
    const { name, ...account } = accountOf(await askProfile(caller, fields, schema, deps))
    const token = { accessToken, expiresAt: expiresAt === undefined ? null : Number(expiresAt) }
    return {
      ...account,
      name: name?.trim() || account.username,
      rules: {},
      secrets: secretsOf(token),
      expiresAt: token.expiresAt,
    }
  }
  return {
    identify,
    freshToken: (input, deps) => freshLongLived(grant, input, deps),
    oauth: {
      begin: async (input) => ({ url: authorizeUrl(grant, input), kept: {} }),
      finish: async (input, deps) => {
        const { baseUrl, settings } = input
        const credentials = secretsOf(await tokenForCode(grant, input, deps))
        return [await identify({ baseUrl, settings, credentials }, deps)]
      },
    },
  }
}
