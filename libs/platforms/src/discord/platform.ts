import type { PlatformEntry } from '../platform.ts'
import { discordRules } from './rules.ts'

export const discord: PlatformEntry = {
  rules: discordRules,
  settings: {
    apiUrl: 'https://discord.com/api/v10',
    authorizeUrl: 'https://discord.com/oauth2/authorize',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    /** Where people read messages. */
    appUrl: 'https://discord.com',
    /** Where pictures of guilds and webhooks are. */
    cdnUrl: 'https://cdn.discordapp.com',
    clientId: null,
    clientSecret: null,
    botToken: null,
  },
  secretSettings: ['clientSecret', 'botToken'],
  // 50 calls a second for the whole bot, and about 5 messages in 5 seconds for a channel.
  pace: { platform: 16, account: 1 },
  loadConnector: async () => (await import('./connector.ts')).discordConnector,
}
