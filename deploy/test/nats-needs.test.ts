import { readdirSync, readFileSync } from 'node:fs'
import { type BusUser, BUS_USERS } from '@herald/contracts/bus-users'
import { CONSUMERS } from '@herald/contracts/consumers'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { passwordVariables } from '../nats/accounts.ts'
import { makeEnv } from './compose.ts'

const SERVICES = BUS_USERS.filter(({ name }) => name !== 'herald')
const DURABLES = Object.entries(CONSUMERS)

describe.each(SERVICES)('what $name needs of NATS', (user) => {
  test('is to call those whose operations its code calls', () => {
    const called = new Set(user.calls.map((subject) => subject.split('.')[2] ?? ''))
    const named = matchesOf(user, /(?:direct\.get|\broad)\('([a-z]+)'\)/g)
    expect([...called].toSorted()).toEqual([...named].toSorted())
  })

  test('is the consumers that its code reads from', () => {
    const read = matchesOf(user, /CONSUMERS\.(\w+)/g)
    const expected = DURABLES.filter(([name]) => read.has(name)).map(([, consumer]) => consumer)
    expect(user.consumers).toEqual(expected)
  })

  test('is given to it by docker-compose.yml, as a user of its own', () => {
    const { environment } = compose.services[user.name] ?? {}
    const variable = passwordVariables({ teams: [], second: [] }).get(user.name)
    expect(environment?.['NATS_URL']).toBe(
      `nats://${user.name}:\${${variable}:?run node deploy/docker/make-env.mjs}@nats:4222`,
    )
    expect(environment?.['HERALD_PROVISION']).toBe('off')
  })
})

test('every consumer belongs to one service', () => {
  const durables = SERVICES.flatMap(({ consumers }) => consumers.map(({ durable }) => durable))
  expect(durables.toSorted()).toEqual(DURABLES.map(([, { durable }]) => durable).toSorted())
})

test('the NATS of docker-compose.yml is given every password that its accounts name', () => {
  const given = Object.keys(compose.services['nats']?.environment ?? {})
  const named = [...passwordVariables({ teams: [], second: [] }).values()]
  expect(given.toSorted()).toEqual(named.toSorted())
  expect(Object.keys(makeEnv().settings)).toEqual(expect.arrayContaining(named))
})

test('the page on events shows the team of the example', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
  const example = readFileSync(new URL('../nats/teams.example.json', import.meta.url), 'utf8')
  expect(page).toContain(example.trim())
})

type Compose = { services: Record<string, { environment?: Record<string, string> }> }
const compose = parseYaml(
  readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8'),
) as Compose

/** What a pattern finds in the sources of a service. */
function matchesOf({ name }: BusUser, pattern: RegExp): Set<string> {
  const folder = new URL(`../../services/${name}/src/`, import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  return new Set(
    sources.flatMap((source) => [...source.matchAll(pattern)].map(([, found = '']) => found)),
  )
}
