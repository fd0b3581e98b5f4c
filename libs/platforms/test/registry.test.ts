import { readdirSync, readFileSync } from 'node:fs'
import { ChannelRules, Platform } from '@herald/contracts/platforms'
import { expect, test } from 'vitest'
import { platformOf } from '../src/registry.ts'
import { PLATFORMS, rulesOf } from '../src/rules-registry.ts'

test('every platform folder is registered, under its own name', () => {
  const folders = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name.toUpperCase())
  expect(PLATFORMS.map(({ rules }) => rules.platform).toSorted()).toEqual(folders.toSorted())
})

test.each(PLATFORMS.map(({ rules }) => rules))('$name has valid rules and a connector', (rules) => {
  expect(ChannelRules.parse(rules.defaults)).toEqual(rules.defaults)
  expect(rulesOf(rules.platform)).toBe(rules)
  const { connector, ...definition } = platformOf(rules.platform)!
  expect(definition).toMatchObject({ platform: rules.platform, name: rules.name, rules })
  expect(definition.pace.platform).toBeGreaterThanOrEqual(definition.pace.account)
  expect(Object.keys(definition.settings)).toEqual(
    expect.arrayContaining([...definition.secretSettings]),
  )
  expect(connector.settles).toBeTypeOf('string')
})

test('every platform of the contract can be connected', () => {
  expect(PLATFORMS.map(({ rules }) => rules.platform).toSorted()).toEqual(
    Platform.options.toSorted(),
  )
})

test('the rules load neither networking nor anything else of Node', () => {
  const modules = loadedBy(new URL('../src/rules-registry.ts', import.meta.url).href)
  expect(modules.some((name) => name.endsWith('/mastodon/rules.ts'))).toBe(true)
  expect(modules.filter((name) => name.startsWith('node:'))).toEqual([])
  expect(modules.filter((name) => /(connector|http)\.ts$/.test(name))).toEqual([])
})

/** A module and all that it imports statically: files of this package by address, others by name. */
function loadedBy(href: string, seen = new Set<string>()): string[] {
  if (seen.has(href)) return []
  seen.add(href)
  if (!href.startsWith('file:')) return [href]
  const imports = readFileSync(new URL(href), 'utf8').matchAll(
    /^(?:import|\}) (?!type ).*?'([^']+)'/gm,
  )
  for (const [, name = ''] of imports)
    loadedBy(name.startsWith('.') ? new URL(name, href).href : name, seen)
  return [...seen]
}
