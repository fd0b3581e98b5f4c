import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { platformsDocument } from '../src/platforms-document.ts'
import { PLATFORMS } from '../src/rules-registry.ts'

test('docs/platforms.md says what the rules say', () => {
  const file = new URL('../../../docs/platforms.md', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(platformsDocument())
})

test('the page has a section of every platform with its limits', () => {
  const page = platformsDocument()
  for (const { rules } of PLATFORMS) expect(page).toContain(`\n## ${rules.name}\n`)
  expect(page).toContain('- text: 4,096 characters, 1,024 beside a file')
  expect(page).toContain('| gif | gif | 1 | ')
})
