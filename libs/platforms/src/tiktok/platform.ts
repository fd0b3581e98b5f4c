import type { PlatformEntry } from '../platform.ts'
import { tiktokRules } from './rules.ts'

export const tiktok: PlatformEntry = {
  rules: tiktokRules,
  settings: {
    authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize',
    tokenUrl: 'https://open.tiktokapis.com/v2/oauth/token',
    revokeUrl: 'https://open.tiktokapis.com/v2/oauth/revoke',
    apiUrl: 'https://open.tiktokapis.com/v2',
    // Where posts are shown. The host for uploads is named by each answer that begins one.
    webUrl: 'https://www.tiktok.com',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  // A creator may begin six posts a minute.
  pace: { platform: 8, account: 1 },
  loadConnector: async () => (await import('./connector.ts')).tiktokConnector,
}
