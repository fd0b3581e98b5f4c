import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { readCredentials, Secret } from '../credentials.ts'
import {
  askProfile,
  authorizeUrl,
  freshLongLived,
  type LongLivedGrant,
  secretsOf,
  tokenForCode,
} from '../graph-tokens.ts'
import {
  type FreshToken,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type OAuth,
  type Settings,
  type TokenInput,
} from '../platform.ts'

const GRANT: LongLivedGrant = {
  name: 'Instagram',
  prefix: 'INSTAGRAM',
  scopes: ['instagram_business_basic', 'instagram_business_content_publish'],
  exchangeGrant: 'ig_exchange_token',
  refreshGrant: 'ig_refresh_token',
}

/** Instagram has no call that ends a grant of this kind; people do that in its app. */
export const instagramOAuth: OAuth = {
  begin: async (input) => ({ url: authorizeUrl(GRANT, input), kept: {} }),
  finish: async (input, deps) => {
    const credentials = secretsOf(await tokenForCode(GRANT, input, deps))
    return [await identify({ baseUrl: input.baseUrl, settings: input.settings, credentials }, deps)]
  },
}

/** The stored token, renewed before it expires. Throws `ConnectError`. */
export function freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken> {
  return freshLongLived(GRANT, input, deps)
}

const Credentials = z.strictObject({
  accessToken: Secret,
  expiresAt: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

const Profile = z.object({
  /** Of the professional account; `id` is another one, which only the app knows. */
  user_id: z.coerce.string().min(1),
  username: z.string().min(1),
  name: z.string().nullish(),
  profile_picture_url: z.string().nullish(),
})

/** Whose access token it is: that of a business or creator, as others cannot grant it. */
export async function identify(
  { settings, credentials }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, expiresAt } = readCredentials(Credentials, credentials)
  const profile = await askProfile(
    { name: 'Instagram', settings, token: accessToken },
    'user_id,username,name,profile_picture_url',
    Profile,
    deps,
  )
  const token = { accessToken, expiresAt: expiresAt === undefined ? null : Number(expiresAt) }
  return {
    account: profile.user_id,
    username: profile.username,
    name: profile.name?.trim() || profile.username,
    avatarUrl: webAddress(profile.profile_picture_url),
    rules: {},
    secrets: secretsOf(token),
    expiresAt: token.expiresAt,
  }
}
