import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import {
  ConnectError,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Settings,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { readToken } from '../stored-token.ts'
import { apiCall } from './api.ts'

const UserAccount = z.object({
  id: z.string().min(1).nullish(),
  username: z.string().min(1),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
})

/** Whose token it is: a personal or a business account. */
export async function identify(
  { credentials, settings }: Pick<IdentifyInput, 'credentials'> & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, secrets, expiresAt } = readToken(credentials)
  const call = apiCall({ settings, token: accessToken }, 'GET', '/user_account')
  const { status, text } = await ask('Pinterest', call, deps)
  const account = status === 200 ? readJson(UserAccount, text) : undefined
  if (!account)
    throw new ConnectError(
      'refused',
      status === 403
        ? 'The access token may not read its account. It needs the scopes user_accounts:read, boards:read, boards:write, pins:read and pins:write.'
        : `Pinterest does not accept this access token (status ${status}).`,
    )
  return {
    account: account.id ?? account.username,
    username: account.username,
    name: account.business_name?.trim() || account.username,
    avatarUrl: webAddress(account.profile_image),
    rules: {},
    secrets,
    expiresAt,
  }
}
