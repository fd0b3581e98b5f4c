import { readFileSync } from 'node:fs'
import { KEY_EVENT_ACTIONS, KeyEventData } from '@herald/contracts/accounts'
import { CHANNEL_EVENT_ACTIONS, ChannelEventData } from '@herald/contracts/channels'
import { CloudEvent } from '@herald/contracts/events'
import { MEDIA_EVENT_ACTIONS, MEDIA_EVENT_DATA } from '@herald/contracts/media'
import { POST_EVENT_ACTIONS, POST_EVENT_DATA } from '@herald/contracts/post-events'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../events.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

const names = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)

const TYPES: [type: string, action: string, fields: string[]][] = [
  ...Object.entries(POST_EVENT_ACTIONS).map(([type, action]) => {
    const { shape } = POST_EVENT_DATA[type as keyof typeof POST_EVENT_DATA]
    return [type, action, Object.keys(shape)] as [string, string, string[]]
  }),
  ...Object.entries(MEDIA_EVENT_ACTIONS).map(([type, action]) => {
    const { shape } = MEDIA_EVENT_DATA[type as keyof typeof MEDIA_EVENT_DATA]
    return [type, action, Object.keys(shape)] as [string, string, string[]]
  }),
  ...Object.entries(CHANNEL_EVENT_ACTIONS).map(
    ([type, action]) =>
      [type, action, Object.keys(ChannelEventData.shape)] as [string, string, string[]],
  ),
  ...Object.entries(KEY_EVENT_ACTIONS).map(
    ([type, action]) =>
      [type, action, Object.keys(KeyEventData.shape)] as [string, string, string[]],
  ),
]

test.for(TYPES)('the page has the action and the data fields of %s', ([type, action, fields]) => {
  const row = rows.find(([, name]) => name === `\`${type}\``)
  expect(row?.[2]).toBe(`\`${action}\``)
  expect(names(row?.[4])).toEqual(fields)
})

test('the page has every field of the envelope', () => {
  const shown = new Set(rows.map(([, name]) => names(name)[0]))
  for (const field of Object.keys(CloudEvent.shape)) expect(shown).toContain(field)
})
