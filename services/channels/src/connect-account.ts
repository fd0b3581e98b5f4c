import type { Channel } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platforms'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import type { Identity, PlatformDefinition } from '@herald/platforms/platform'
import { channelStream } from './channel-stream.ts'
import { putSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import type { ChannelFacts } from './domain/channel.ts'
import { channelOfAccount, findChannel } from './queries.ts'
import { asBusy } from './refusals.ts'
import { renewalTime } from './renewal-times.ts'
import { toChannel } from './view.ts'

/** Where an account is, and for whom it is connected. */
export type Connecting = {
  organizationId: string
  platform: Platform
  baseUrl: string
  name?: string | undefined
  /** The same for all accounts that one grant gave. */
  grantId: string
}

/** Makes an account of which the platform has told into a channel; the same account keeps the channel that it has. */
export async function connectAccount(
  deps: Deps,
  definition: PlatformDefinition,
  connecting: Connecting,
  identity: Identity,
): Promise<Channel> {
  const { organizationId, platform, baseUrl } = connecting
  const { account } = identity
  const channelId = await channelOfAccount(
    deps.store.pool,
    { organization_id: organizationId, platform, base_url: baseUrl, account },
    newId('channel', deps.now()),
  )
  await append(deps, definition, { ...connecting, channelId }, identity)
  deps.onDue()
  const row = await findChannel(deps.store.pool, organizationId, channelId)
  if (!row) throw new Error('A connected channel has a row.')
  return toChannel(row)
}

async function append(
  deps: Deps,
  definition: PlatformDefinition,
  connecting: Connecting & { channelId: string },
  identity: Identity,
): Promise<void> {
  const { organizationId, channelId, grantId } = connecting
  const now = deps.now()
  const { secrets, expiresAt = null } = identity
  const connected = {
    secrets,
    expiresAt,
    renewAt: renewalTime(now, expiresAt),
    grantId,
    limitsAt: definition.connector.readLimits ? now : null,
  }
  await handle(
    deps.store,
    channelStream,
    channelId,
    {
      type: 'Connect',
      organizationId,
      now: new Date(now).toISOString(),
      facts: factsOf(definition, connecting, identity),
    },
    {
      organizationId,
      meta: metaOf('operator'),
      riders: [putSecrets(connected, { organizationId, channelId }, deps.credentialsKeys)],
    },
  ).catch((error: unknown) => {
    throw asBusy(error)
  })
}

function factsOf(
  { rules }: PlatformDefinition,
  { platform, baseUrl, name }: Connecting,
  identity: Identity,
): ChannelFacts {
  return {
    platform,
    baseUrl,
    account: identity.account,
    username: identity.username,
    name: name ?? identity.name,
    avatarUrl: identity.avatarUrl,
    rules: { ...rules.defaults, ...identity.rules },
    limits: identity.limits ?? {},
  }
}
