import type { Platform } from '@herald/contracts/platforms'
import { blueskyConnector } from './bluesky/connector.ts'
import { mastodonConnector } from './mastodon/connector.ts'
import type { Connector, PlatformDefinition } from './platform.ts'
import { rulesOf } from './rules-registry.ts'

const CONNECTORS: Partial<Record<Platform, Connector>> = {
  BLUESKY: blueskyConnector,
  MASTODON: mastodonConnector,
}

/** A platform's rules and connector, or nothing for one that Herald does not speak to. */
export function platformOf(platform: Platform): PlatformDefinition | undefined {
  const rules = rulesOf(platform)
  const connector = CONNECTORS[platform]
  return rules && connector && { rules, connector }
}
