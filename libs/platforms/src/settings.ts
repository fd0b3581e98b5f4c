import type { Platform } from '@herald/contracts/platforms'
import { PLATFORMS } from './rules-registry.ts'
import type { Settings } from './platform.ts'

/** The settings of every platform as the environment gives them. */
export type PlatformSettings = {
  /** All of them, for the channels service. */
  of: (platform: Platform) => Settings
  /** Those that are no secret, for the publisher. */
  forPublishing: (platform: Platform) => Settings
}

/** The variable that sets a platform's setting: `apiUrl` of X is `X_API_URL`. */
export function settingVariable(platform: Platform, name: string): string {
  return `${platform}_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** Reads all platforms' settings. An empty variable is as good as none; addresses lose a trailing slash. */
export function platformSettings(env: Record<string, string | undefined>): PlatformSettings {
  const all = new Map(
    PLATFORMS.map(({ rules: { platform }, settings }) => {
      const values = Object.entries(settings).flatMap(([name, byDefault]) => {
        const value = env[settingVariable(platform, name)] || byDefault
        return value ? [[name, value.replace(/\/+$/, '')] as const] : []
      })
      return [platform, Object.fromEntries(values)] as const
    }),
  )
  const of = (platform: Platform): Settings => all.get(platform) ?? {}
  return {
    of,
    forPublishing: (platform) => {
      const secret =
        PLATFORMS.find(({ rules }) => rules.platform === platform)?.secretSettings ?? []
      return Object.fromEntries(
        Object.entries(of(platform)).filter(([name]) => !secret.includes(name)),
      )
    },
  }
}
