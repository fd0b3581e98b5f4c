import type { Platform } from '@herald/contracts/platforms'
import { bluesky } from './bluesky/platform.ts'
import { discord } from './discord/platform.ts'
import { facebook } from './facebook/platform.ts'
import { instagram } from './instagram/platform.ts'
import { linkedin } from './linkedin/platform.ts'
import { mastodon } from './mastodon/platform.ts'
import { pinterest } from './pinterest/platform.ts'
import { reddit } from './reddit/platform.ts'
import { telegram } from './telegram/platform.ts'
import { threads } from './threads/platform.ts'
import { tiktok } from './tiktok/platform.ts'
import { x } from './x/platform.ts'
import { youtube } from './youtube/platform.ts'
import type { PlatformEntry, PlatformRules } from './platform.ts'

/** Every platform that can be connected. A new one is a folder and a line here. */
export const PLATFORMS: readonly PlatformEntry[] = [
  mastodon,
  bluesky,
  discord,
  facebook,
  instagram,
  linkedin,
  pinterest,
  reddit,
  telegram,
  threads,
  tiktok,
  x,
  youtube,
]

/** The rules of a platform, or undefined when it cannot be connected. Pure, and loads no networking. */
export function rulesOf(platform: Platform): PlatformRules | undefined {
  return PLATFORMS.find((entry) => entry.rules.platform === platform)?.rules
}
