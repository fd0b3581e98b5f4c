import type { Platform } from '@herald/contracts/platforms'
import { BLUESKY_RULES } from './bluesky/rules.ts'
import { MASTODON_RULES } from './mastodon/rules.ts'
import type { PlatformRules } from './platform.ts'

const RULES: readonly PlatformRules[] = [BLUESKY_RULES, MASTODON_RULES]

/** The rules of a platform, or nothing for one that Herald does not speak to. Pure. */
export function rulesOf(platform: Platform): PlatformRules | undefined {
  return RULES.find((rules) => rules.platform === platform)
}
