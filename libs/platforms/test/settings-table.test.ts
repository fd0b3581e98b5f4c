import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLATFORMS } from '../src/rules-registry.ts'
import { settingVariable } from '../src/settings.ts'
import { settingsTable, withSettingsTable } from '../src/settings-table.ts'

test('the document has the variables of every platform as they are', () => {
  const document = readFileSync(new URL('../../../docs/channels.md', import.meta.url), 'utf8')
  expect(document, 'to write it again: npm run fix').toBe(withSettingsTable(document))
})

test('the table names every platform and every variable, and the value of no secret', () => {
  const table = settingsTable()
  for (const { rules, settings, secretSettings } of PLATFORMS) {
    expect(table).toContain(`| ${rules.name} |`)
    for (const name of Object.keys(settings))
      expect(table).toContain(`\`${settingVariable(rules.platform, name)}\``)
    for (const name of secretSettings) expect(settings[name]).toBeNull()
  }
})

test('a document without a place for the table is refused', () => {
  expect(() => withSettingsTable('# Channels')).toThrow('There is no place')
})
