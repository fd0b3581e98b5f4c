import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import { readCredentials } from '../credentials.ts'
import {
  ConnectError,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Settings,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { storedExpiry, TokenSecrets, withoutGaps } from '../stored-token.ts'
import { get } from './api.ts'
import { readLinkedinError } from './errors.ts'
import { readOrganizations } from './organizations.ts'

/** A grant, and the account that it is used for: the member unless given. */
const Credentials = TokenSecrets.extend({
  account: z
    .string()
    .regex(/^urn:li:(person|organization):[\w-]+$/)
    .optional(),
})
type Credentials = z.infer<typeof Credentials>

const Member = z.object({
  sub: z.string().regex(/^[\w-]+$/),
  name: z.string().nullish(),
  picture: z.string().nullish(),
})

/** The account that the credentials name. */
export async function identify(
  { credentials, settings }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const grant = readCredentials(Credentials, credentials)
  const { account } = grant
  if (account?.startsWith('urn:li:organization:')) {
    const pages = await organizationsOf(grant, settings, 'refused', deps)
    const page = pages.find((one) => one.account === account)
    if (page) return page
    throw new ConnectError('refused', 'The member is no administrator of this LinkedIn page.')
  }
  const member = await memberOf(grant, settings, 'refused', deps)
  if (account === undefined || account === member.account) return member
  throw new ConnectError('refused', 'The access token is that of another LinkedIn member.')
}

/** The member, and the organizations whose pages the member may post to, as far as the grant tells. */
export async function identifyAll(
  grant: Credentials,
  { settings, scope }: { settings: Settings; scope: string },
  deps?: HttpDeps,
): Promise<Identity[]> {
  const mayList = /\br?w?_?organization_admin\b/.test(scope)
  const mayPost = /\bw_member_social\b/.test(scope)
  return [
    ...(mayPost ? [await memberOf(grant, settings, 'unavailable', deps)] : []),
    ...(mayList ? await organizationsOf(grant, settings, 'unavailable', deps) : []),
  ]
}

/** Throws `ConnectError` `refused` when LinkedIn says that the token is dead. */
export async function requireAlive(
  settings: Settings,
  accessToken: string,
  deps?: HttpDeps,
): Promise<void> {
  await memberOf({ accessToken }, settings, 'unavailable', deps)
}

/** LinkedIn refuses a token with 401; of any other refusal `otherwise` says what it means for the credentials. */
async function memberOf(
  grant: Credentials,
  settings: Settings,
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Identity> {
  const call = get({ settings, token: grant.accessToken }, '/v2/userinfo')
  const { status, text } = await ask('LinkedIn', call, deps)
  if (status === 401)
    throw new ConnectError('refused', 'LinkedIn does not accept this access token.')
  const member = status === 200 ? readJson(Member, text) : undefined
  if (!member) {
    const said = oneLine(readLinkedinError(text).message ?? `status ${status}`)
    throw new ConnectError(otherwise, `LinkedIn does not say whose access token it is: ${said}`)
  }
  const name = member.name?.trim() || member.sub
  const account = `urn:li:person:${member.sub}`
  return identityOf(grant, { account, username: name, name, avatarUrl: webAddress(member.picture) })
}

async function organizationsOf(
  grant: Credentials,
  settings: Settings,
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Identity[]> {
  const caller = { settings, token: grant.accessToken }
  const organizations = await readOrganizations(caller, otherwise, deps)
  return organizations.map((one) => identityOf(grant, one))
}

function identityOf(
  grant: Credentials,
  profile: Pick<Identity, 'account' | 'username' | 'name' | 'avatarUrl'>,
): Identity {
  const kind = profile.account.startsWith('urn:li:organization:') ? 'organization' : 'person'
  return {
    ...profile,
    rules: {},
    limits: { kind },
    secrets: withoutGaps({ ...grant, account: profile.account }),
    expiresAt: storedExpiry(grant),
  }
}
