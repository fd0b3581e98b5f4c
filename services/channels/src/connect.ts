import type { Channel, channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { randomUUID } from 'node:crypto'
import type { Platform } from '@herald/contracts/platforms'
import type { Handlers } from '@herald/contracts/rpc'
import type { PlatformDefinition, Settings } from '@herald/platforms/platform'
import { platformAddress } from './base-url.ts'
import { connectAccount } from './connect-account.ts'
import type { Deps } from './deps.ts'
import { asRefusal } from './refusals.ts'

type ConnectInput = Parameters<Handlers<typeof channels>['connect']>[0]

/** A platform that Herald speaks to, with its settings and the address of its instance. */
export type Target = { definition: PlatformDefinition; settings: Settings; baseUrl: string }

/** Connects an account after asking the platform whose credentials they are. */
export async function connect(deps: Deps, input: ConnectInput): Promise<Channel> {
  const { organizationId, platform, credentials, name } = input
  const { definition, settings, baseUrl } = targetOf(deps, input)
  const identity = await definition.connector
    .identify({ baseUrl, settings, credentials })
    .catch((error: unknown) => {
      throw asRefusal(error, 'credentials')
    })
  const grantId = randomUUID()
  const connecting = { organizationId, platform, baseUrl, name, grantId }
  return connectAccount(deps, definition, connecting, identity)
}

/** The platform that somebody wants to connect. Throws 422 when it is not supported or the address cannot be used. */
export function targetOf(
  { platformOf, settings: all, allowPrivate }: Deps,
  asked: { platform: Platform; baseUrl?: string | undefined },
): Target {
  const { platform } = asked
  const definition = platformOf(platform)
  if (!definition)
    throw new AppError('validation_failed', `Herald does not speak to ${platform} yet.`, {
      details: { issues: [{ path: 'platform', message: 'is not supported' }] },
    })
  const settings = all.of(platform)
  const address = addressFor(asked.baseUrl, settings, definition)
  return { definition, settings, baseUrl: platformAddress(address, allowPrivate) }
}

/** A platform of many instances must be told which; all others have the one of their settings. */
function addressFor(
  baseUrl: string | undefined,
  { apiUrl }: Settings,
  { name }: PlatformDefinition,
): string {
  const address = apiUrl ?? baseUrl
  if (address !== undefined) return address
  throw new AppError('validation_failed', `${name} has many instances. Give the address of one.`, {
    details: { issues: [{ path: 'baseUrl', message: 'is required for this platform' }] },
  })
}
