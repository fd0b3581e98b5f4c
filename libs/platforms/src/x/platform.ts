import type { PlatformEntry } from '../platform.ts'
import { xRules } from './rules.ts'
import { X_SETTINGS } from './settings.ts'

export const x: PlatformEntry = {
  rules: xRules,
  settings: { ...X_SETTINGS, clientId: null, clientSecret: null },
  secretSettings: ['clientSecret'],
  pace: { platform: 32, account: 2 },
  loadConnector: async () => (await import('./connector.ts')).xConnector,
}
