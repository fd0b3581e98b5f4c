import type { PlatformEntry } from '../platform.ts'
import { facebookRules } from './rules.ts'

export const facebook: PlatformEntry = {
  rules: facebookRules,
  settings: {
    authorizeUrl: 'https://www.facebook.com/v25.0/dialog/oauth',
    tokenUrl: 'https://graph.facebook.com/v25.0/oauth/access_token',
    apiUrl: 'https://graph.facebook.com',
    apiVersion: 'v25.0',
    webUrl: 'https://www.facebook.com',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  pace: { platform: 32, account: 4 },
  loadConnector: async () => (await import('./connector.ts')).facebookConnector,
}
