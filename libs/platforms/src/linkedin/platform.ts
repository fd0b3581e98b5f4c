import type { PlatformEntry } from '../platform.ts'
import { linkedinRules } from './rules.ts'
import { LINKEDIN_SETTINGS } from './settings.ts'

export const linkedin: PlatformEntry = {
  rules: linkedinRules,
  settings: { ...LINKEDIN_SETTINGS, clientId: null, clientSecret: null },
  secretSettings: ['clientSecret'],
  pace: { platform: 32, account: 2 },
  loadConnector: async () => (await import('./connector.ts')).linkedinConnector,
}
