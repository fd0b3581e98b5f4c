import { readFileSync, writeFileSync } from 'node:fs'
import { withSettingsTable } from '@herald/platforms/settings-table'

// Writes the variables of the platforms into their document. A test fails while it is not current.
const file = new URL('../docs/channels.md', import.meta.url)
writeFileSync(file, withSettingsTable(readFileSync(file, 'utf8')))
