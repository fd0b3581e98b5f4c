import type { PlatformEntry } from '../platform.ts'
import { blueskyRules } from './rules.ts'

export const bluesky: PlatformEntry = {
  rules: blueskyRules,
  loadConnector: async () => (await import('./connector.ts')).blueskyConnector,
}
