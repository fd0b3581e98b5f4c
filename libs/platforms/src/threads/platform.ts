import type { PlatformEntry } from '../platform.ts'
import { threadsRules } from './rules.ts'

export const threads: PlatformEntry = {
  rules: threadsRules,
  settings: {
    authorizeUrl: 'https://threads.net/oauth/authorize',
    tokenUrl: 'https://graph.threads.net/oauth/access_token',
    apiUrl: 'https://graph.threads.net',
    apiVersion: 'v1.0',
    webUrl: 'https://www.threads.net',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  pace: { platform: 32, account: 4 },
  loadConnector: async () => (await import('./connector.ts')).threadsConnector,
}
