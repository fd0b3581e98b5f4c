import type { PlatformEntry } from '../platform.ts'
import { youtubeRules } from './rules.ts'

export const youtube: PlatformEntry = {
  rules: youtubeRules,
  settings: {
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
    apiUrl: 'https://www.googleapis.com/youtube/v3',
    uploadUrl: 'https://www.googleapis.com/upload/youtube/v3',
    // Where videos are shown.
    webUrl: 'https://www.youtube.com',
    // Which country's video categories are offered, by its ISO 3166-1 code.
    regionCode: 'US',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  // A video takes long to send, so a channel has one under way, and the others wait without loss.
  pace: { platform: 8, account: 1 },
  loadConnector: async () => (await import('./connector.ts')).youtubeConnector,
}
