import { readFileSync } from 'node:fs'
import { CloudEvent, eventSubject } from '@herald/contracts/events'
import { PUBLIC_EVENTS } from '@herald/contracts/public-events'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../events.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

const names = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)

test.for(PUBLIC_EVENTS.map((event) => [event.type, event] as const))(
  'the page has the action and the data fields of %s',
  ([type, event]) => {
    const row = rows.find(([, name]) => name === `\`${type}\``)
    expect(row?.[2]).toBe(`\`${event.action}\``)
    expect(names(row?.[4])).toEqual(Object.keys(event.data.shape))
  },
)

test('the page has the subject of every event', () => {
  for (const { entity } of PUBLIC_EVENTS)
    expect(page).toContain(`\`${eventSubject(entity, '<organizationId>', '<action>')}\``)
})

test('the page has every field of the envelope', () => {
  const shown = new Set(rows.map(([, name]) => names(name)[0]))
  for (const field of Object.keys(CloudEvent.shape)) expect(shown).toContain(field)
})
