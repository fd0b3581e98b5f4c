import type { PlatformEntry } from '../platform.ts'
import { mastodonRules } from './rules.ts'

export const mastodon: PlatformEntry = {
  rules: mastodonRules,
  settings: {},
  secretSettings: [],
  pace: { platform: 32, account: 4 },
  loadConnector: async () => (await import('./connector.ts')).mastodonConnector,
}
