import type { PlatformEntry } from '../platform.ts'
import { instagramRules } from './rules.ts'

export const instagram: PlatformEntry = {
  rules: instagramRules,
  settings: {
    authorizeUrl: 'https://www.instagram.com/oauth/authorize',
    tokenUrl: 'https://api.instagram.com/oauth/access_token',
    apiUrl: 'https://graph.instagram.com',
    apiVersion: 'v25.0',
    webUrl: 'https://www.instagram.com',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  pace: { platform: 32, account: 4 },
  loadConnector: async () => (await import('./connector.ts')).instagramConnector,
}
