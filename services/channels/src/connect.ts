import type { Channel, channels } from '@herald/contracts/channels'
import { AppError, unavailable } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Handlers } from '@herald/contracts/rpc'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import {
  ConnectError,
  type Connector,
  type Identity,
  type PlatformDefinition,
  type Settings,
} from '@herald/platforms/platform'
import { platformAddress } from './base-url.ts'
import { channelStream } from './channel-stream.ts'
import { putSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import type { ChannelFacts } from './domain/channel.ts'
import { channelOfAccount, findChannel } from './queries.ts'
import { asBusy } from './refusals.ts'
import { toChannel } from './view.ts'

type ConnectInput = Parameters<Handlers<typeof channels>['connect']>[0]

/** Connects an account after asking the platform whose credentials they are. */
export async function connect(deps: Deps, input: ConnectInput): Promise<Channel> {
  const { organizationId, platform } = input
  const definition = deps.platformOf(platform)
  if (!definition)
    throw new AppError('validation_failed', `Herald does not speak to ${platform} yet.`, {
      details: { issues: [{ path: 'platform', message: 'is not supported' }] },
    })
  const settings = deps.settings.of(platform)
  const baseUrl = platformAddress(addressFor(input, settings), deps.allowPrivate)
  const { credentials } = input
  const identity = await identify(definition, { baseUrl, settings, credentials })
  const facts: ChannelFacts = {
    platform,
    baseUrl,
    account: identity.account,
    username: identity.username,
    name: input.name ?? identity.name,
    avatarUrl: identity.avatarUrl,
    rules: { ...definition.rules.defaults, ...identity.rules },
    limits: identity.limits ?? {},
  }
  const channelId = await channelOfAccount(
    deps.store.pool,
    { organization_id: organizationId, platform, base_url: baseUrl, account: identity.account },
    newId('channel', deps.now()),
  )
  await append(deps, organizationId, channelId, facts, identity.secrets)
  const row = await findChannel(deps.store.pool, organizationId, channelId)
  if (!row) throw new Error('A connected channel has a row.')
  return toChannel(row)
}

/** A platform of many instances must be told which; all others have the one of their settings. */
function addressFor({ baseUrl, platform }: ConnectInput, { apiUrl }: Settings): string {
  const address = apiUrl ?? baseUrl
  if (address !== undefined) return address
  throw new AppError(
    'validation_failed',
    `${platform} has many instances. Give the address of one.`,
    {
      details: { issues: [{ path: 'baseUrl', message: 'is required for this platform' }] },
    },
  )
}

async function identify(
  { connector }: PlatformDefinition,
  input: Parameters<Connector['identify']>[0],
): Promise<Identity> {
  try {
    return await connector.identify(input)
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if (error.kind === 'unavailable') throw unavailable(error)
    throw new AppError('validation_failed', error.message, {
      details: { issues: [{ path: 'credentials', message: error.message }] },
      cause: error,
    })
  }
}

async function append(
  deps: Deps,
  organizationId: string,
  channelId: string,
  facts: ChannelFacts,
  secrets: Record<string, string>,
): Promise<void> {
  const now = new Date(deps.now()).toISOString()
  const command = { type: 'Connect', organizationId, now, facts } as const
  const owner = { organizationId, channelId }
  await handle(deps.store, channelStream, channelId, command, {
    organizationId,
    meta: metaOf('operator'),
    riders: [putSecrets(secrets, owner, deps.credentialsKey)],
  }).catch((error: unknown) => {
    throw asBusy(error)
  })
}
