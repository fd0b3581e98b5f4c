import type { PlatformEntry } from '../platform.ts'
import { blueskyRules } from './rules.ts'

export const bluesky: PlatformEntry = {
  rules: blueskyRules,
  settings: {},
  secretSettings: [],
  pace: { platform: 32, account: 4 },
  loadConnector: async () => (await import('./connector.ts')).blueskyConnector,
}
