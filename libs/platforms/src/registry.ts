import type { Platform } from '@herald/contracts/platforms'
import type { PlatformDefinition, PlatformEntry } from './platform.ts'
import { PLATFORMS } from './rules-registry.ts'

/** Loaded when this module is, so that a connector that cannot be loaded stops a service at its start. */
const definitions = new Map(
  await Promise.all(
    PLATFORMS.map(async (entry) => [entry.rules.platform, await withConnector(entry)] as const),
  ),
)

/** A platform with its rules and connector, or undefined when it cannot be connected. */
export function platformOf(platform: Platform): PlatformDefinition | undefined {
  return definitions.get(platform)
}

async function withConnector(entry: PlatformEntry): Promise<PlatformDefinition> {
  const { loadConnector, ...facts } = entry
  const { platform, name } = facts.rules
  return { platform, name, ...facts, connector: await loadConnector() }
}
