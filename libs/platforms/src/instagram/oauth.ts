import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { longLivedOAuth } from '../long-lived-oauth.ts'

const GRANT = {
  name: 'Instagram',
  prefix: 'INSTAGRAM',
  scopes: ['instagram_business_basic', 'instagram_business_content_publish'],
  exchangeGrant: 'ig_exchange_token',
  refreshGrant: 'ig_refresh_token',
}

const Profile = z.object({
  /** Of the professional account; `id` is another one, which only the app knows. */
  user_id: z.coerce.string().min(1),
  username: z.string().min(1),
  name: z.string().nullish(),
  profile_picture_url: z.string().nullish(),
})

/** Access to the account of a business or creator, as others cannot grant it. */
export const instagramAccess = longLivedOAuth(GRANT, {
  fields: 'user_id,username,name,profile_picture_url',
  schema: Profile,
  accountOf: ({ user_id, username, name, profile_picture_url }) => ({
    account: user_id,
    username,
    name,
    avatarUrl: webAddress(profile_picture_url),
  }),
})
