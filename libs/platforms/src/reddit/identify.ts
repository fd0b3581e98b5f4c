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
import { apiHeaders, apiUrl } from './api.ts'

const Me = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  icon_img: z.string().nullish(),
  is_suspended: z.boolean().nullish(),
})

/** Whose token it is. What is not a Reddit account, or a suspended one, is refused. */
export async function identify(
  { credentials, settings }: Pick<IdentifyInput, 'credentials'> & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, secrets, expiresAt } = readToken(credentials)
  const caller = { settings, token: accessToken }
  const { status, text } = await ask(
    'Reddit',
    { method: 'GET', url: apiUrl(caller, '/api/v1/me'), headers: apiHeaders(caller) },
    deps,
  )
  const me = status === 200 ? readJson(Me, text) : undefined
  if (!me)
    throw new ConnectError(
      'refused',
      status === 403
        ? 'The access token may not read its account. It needs the scopes identity, submit, read, flair and history.'
        : `Reddit does not accept this access token (status ${status}).`,
    )
  if (me.is_suspended) throw new ConnectError('refused', 'Reddit has suspended this account.')
  return {
    account: me.id,
    username: me.name,
    name: me.name,
    avatarUrl: webAddress(me.icon_img),
    rules: {},
    secrets,
    expiresAt,
  }
}
