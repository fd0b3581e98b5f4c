import type { PlatformEntry } from '../platform.ts'
import { redditRules } from './rules.ts'

export const reddit: PlatformEntry = {
  rules: redditRules,
  settings: {
    authorizeUrl: 'https://www.reddit.com/api/v1/authorize',
    tokenUrl: 'https://www.reddit.com/api/v1/access_token',
    revokeUrl: 'https://www.reddit.com/api/v1/revoke_token',
    apiUrl: 'https://oauth.reddit.com',
    // Where posts are shown.
    webUrl: 'https://www.reddit.com',
    // Reddit wants `<platform>:<app id>:<version> (by /u/<username>)` and slows down what does not say who it is.
    userAgent: 'server:herald:v1',
    clientId: null,
    clientSecret: null,
  },
  secretSettings: ['clientSecret'],
  // Reddit counts 100 calls a minute for the whole app, and takes posts of one account in a row for spam.
  pace: { platform: 8, account: 1 },
  loadConnector: async () => (await import('./connector.ts')).redditConnector,
}
