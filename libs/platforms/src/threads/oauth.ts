import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { longLivedOAuth } from '../long-lived-oauth.ts'

const GRANT = {
  name: 'Threads',
  prefix: 'THREADS',
  scopes: ['threads_basic', 'threads_content_publish'],
  exchangeGrant: 'th_exchange_token',
  refreshGrant: 'th_refresh_token',
}

const Profile = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  name: z.string().nullish(),
  threads_profile_picture_url: z.string().nullish(),
})

/** Access to an account of Threads. */
export const threadsAccess = longLivedOAuth(GRANT, {
  fields: 'id,username,name,threads_profile_picture_url',
  schema: Profile,
  accountOf: ({ id, username, name, threads_profile_picture_url }) => ({
    account: id,
    username,
    name,
    avatarUrl: webAddress(threads_profile_picture_url),
  }),
})
