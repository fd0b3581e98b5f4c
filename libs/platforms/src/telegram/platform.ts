import type { PlatformEntry } from '../platform.ts'
import { telegramRules } from './rules.ts'

export const telegram: PlatformEntry = {
  rules: telegramRules,
  settings: {
    /** Of the Bot API; a server of one's own takes larger files. */
    apiUrl: 'https://api.telegram.org',
    /** Where people read messages. */
    appUrl: 'https://t.me',
  },
  secretSettings: [],
  // 30 messages a second for a bot, one a second for a chat, 20 a minute for a group.
  pace: { platform: 16, account: 1 },
  loadConnector: async () => (await import('./connector.ts')).telegramConnector,
}
