import type { ChannelRules } from '@herald/contracts/platforms'
import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import {
  type AccountInput,
  ConnectError,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Limits,
  type Settings,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { readToken } from '../stored-token.ts'
import { get } from './api.ts'
import { readProblem } from './errors.ts'

const Me = z.object({
  data: z.object({
    id: z.string().regex(/^\d{1,19}$/),
    username: z.string().min(1),
    name: z.string().nullish(),
    profile_image_url: z.string().nullish(),
    subscription_type: z.string().nullish().catch(undefined),
  }),
})
type Me = z.infer<typeof Me>['data']

/** What accounts that pay for X may write through the API for certain; its site takes more. */
const MAX_CHARS_OF_SUBSCRIBERS = 4000

/** Whose access token it is. */
export async function identify(
  { credentials, settings }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, secrets, expiresAt } = readToken(credentials)
  const me = await readMe({ settings, token: accessToken }, 'refused', deps)
  return {
    account: me.id,
    username: me.username,
    name: me.name?.trim() || me.username,
    avatarUrl: webAddress(me.profile_image_url),
    rules: rulesOf(me),
    secrets,
    expiresAt,
  }
}

/** How long the account's texts may be now. */
export async function readLimits(
  input: AccountInput,
  deps?: HttpDeps,
): Promise<{ rules: Partial<ChannelRules>; limits: Limits }> {
  return { rules: rulesOf(await readMe(input, 'unavailable', deps)), limits: {} }
}

/**
 * The account of a token. X refuses a token with 401; of any other refusal `otherwise` says what it means for the
 * credentials.
 */
export async function readMe(
  caller: { settings: Settings; token: string },
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Me> {
  const fields = 'name,profile_image_url,subscription_type,username'
  const { status, text } = await ask(
    'X',
    get(caller, '/2/users/me', { 'user.fields': fields }),
    deps,
  )
  if (status === 401) throw new ConnectError('refused', 'X does not accept this access token.')
  const me = status === 200 ? readJson(Me, text)?.data : undefined
  if (me) return me
  const said = oneLine(readProblem(text).message ?? `status ${status}`)
  throw new ConnectError(otherwise, `X does not say whose access token it is: ${said}`)
}

function rulesOf({ subscription_type: subscription }: Me): Partial<ChannelRules> {
  const isLong = subscription === 'Premium' || subscription === 'PremiumPlus'
  return isLong ? { maxChars: MAX_CHARS_OF_SUBSCRIBERS } : {}
}
