import type { ChannelRules } from '@herald/contracts/platforms'
import { z } from 'zod'
import { addressOf, webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import { readCredentials, Secret } from '../credentials.ts'
import type { HttpResponse } from '../http.ts'
import {
  type AccountInput,
  ConnectError,
  type FreshToken,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type TokenInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { MASTODON_ERRORS } from './errors.ts'

const NAME = 'The Mastodon instance'

/** The app's own are there when access was granted on the instance's page. */
const Credentials = z.strictObject({
  accessToken: Secret,
  clientId: Secret.optional(),
  clientSecret: Secret.optional(),
})

const Account = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  display_name: z.string().nullish(),
  avatar: z.string().nullish(),
})

const Instance = z.object({
  configuration: z.object({
    statuses: z.object({
      max_characters: z.int().positive().optional(),
      max_media_attachments: z.int().nonnegative().optional(),
    }),
  }),
})

/** Whose access token it is, and the limits of the instance. An instance that tells no limits has Mastodon's own. */
export async function identify(
  { baseUrl, credentials }: IdentifyInput,
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken } = readCredentials(Credentials, credentials)
  const { status, text } = await verify(baseUrl, accessToken, deps)
  if (status === 401)
    throw new ConnectError('refused', 'The Mastodon instance does not accept this access token.')
  if (status === 403)
    throw new ConnectError(
      'refused',
      'The access token may not read its account. It needs the scopes read:accounts, write:statuses and write:media, and an account that is not disabled.',
    )
  const account = status === 200 ? readJson(Account, text) : undefined
  if (!account)
    throw new ConnectError(
      'refused',
      `There is no Mastodon instance at this address (status ${status}).`,
    )
  return {
    account: account.id,
    username: account.username,
    name: account.display_name?.trim() || account.username,
    avatarUrl: webAddress(account.avatar),
    rules: await readRules(baseUrl, deps).catch(() => ({})),
    secrets: { ...credentials, accessToken },
  }
}

/**
 * The stored token: it does not expire. When the platform has refused it, the platform is asked whether it is dead;
 * only a refusal in Mastodon's own form says so, because a proxy before the instance may answer 401 too.
 */
export async function freshToken(
  input: Omit<TokenInput, 'settings'>,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const token = input.secrets['accessToken']
  if (!token)
    throw new ConnectError('refused', 'There is no access token. Connect the channel again.')
  if (input.deadToken === token) await requireAlive(input.baseUrl, token, deps)
  return { token, expiresAt: null }
}

async function requireAlive(baseUrl: string, token: string, deps?: HttpDeps): Promise<void> {
  const { status, text } = await verify(baseUrl, token, deps)
  if (status === 200) return
  if (status === 401 && MASTODON_ERRORS.read(text).code !== undefined)
    throw new ConnectError(
      'refused',
      'The Mastodon instance does not accept the access token any more.',
    )
  throw new ConnectError('unavailable', `The Mastodon instance answers with status ${status}.`)
}

function verify(baseUrl: string, token: string, deps?: HttpDeps): Promise<HttpResponse> {
  const url = addressOf(baseUrl, '/api/v1/accounts/verify_credentials')
  return ask(NAME, { method: 'GET', url, headers: { authorization: `Bearer ${token}` } }, deps)
}

/** What the instance takes now; what it does not tell is Mastodon's own. Throws `ConnectError` `unavailable`. */
export async function readLimits({ baseUrl }: Pick<AccountInput, 'baseUrl'>, deps?: HttpDeps) {
  return { rules: await readRules(baseUrl, deps), limits: {} }
}

async function readRules(baseUrl: string, deps?: HttpDeps): Promise<Partial<ChannelRules>> {
  const url = addressOf(baseUrl, '/api/v2/instance')
  const { status, text } = await ask(NAME, { method: 'GET', url }, deps)
  // An instance from before version 4 has no such page, and one in trouble has none for a while.
  const statuses = status === 200 ? readJson(Instance, text)?.configuration.statuses : undefined
  if (!statuses)
    throw new ConnectError('unavailable', `${NAME} tells no limits (status ${status}).`)
  return {
    ...(statuses.max_characters !== undefined && { maxChars: statuses.max_characters }),
    ...(statuses.max_media_attachments !== undefined && {
      maxImages: statuses.max_media_attachments,
    }),
  }
}
