import type { PlatformEntry } from '../platform.ts'
import { mastodonRules } from './rules.ts'

export const mastodon: PlatformEntry = {
  rules: mastodonRules,
  loadConnector: async () => (await import('./connector.ts')).mastodonConnector,
}
