import type { PlatformEntry } from '../platform.ts'
import { pinterestRules } from './rules.ts'

export const pinterest: PlatformEntry = {
  rules: pinterestRules,
  settings: {
    authorizeUrl: 'https://www.pinterest.com/oauth',
    tokenUrl: 'https://api.pinterest.com/v5/oauth/token',
    apiUrl: 'https://api.pinterest.com/v5',
    // Where pins are shown.
    webUrl: 'https://www.pinterest.com',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  pace: { platform: 16, account: 2 },
  loadConnector: async () => (await import('./connector.ts')).pinterestConnector,
}
