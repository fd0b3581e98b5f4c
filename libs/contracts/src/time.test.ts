import { expect, test } from 'vitest'
import { InstantWithOffset } from './time.ts'

test.each([
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01T12:00:00+05:30', '2026-03-01T06:30:00.000Z'],
  ['2026-03-01T12:00:00.123456789Z', '2026-03-01T12:00:00.123Z'],
  ['2026-03-01T12:00:00+14:00', '2026-02-28T22:00:00.000Z'],
])('%s is the instant %s', (written, instant) => {
  expect(InstantWithOffset.parse(written)).toBe(instant)
})

test.each([
  ['has no offset', '2026-03-01T12:00:00'],
  ['is a day that does not exist', '2026-02-30T00:00:00Z'],
  ['is an hour that does not exist', '2026-03-01T24:00:00Z'],
  ['is a leap second', '2026-12-31T23:59:60Z'],
  ['has an offset beyond 14 hours', '2026-03-01T12:00:00+14:01'],
  ['is before 1970', '0000-01-01T00:00:00Z'],
  ['is beyond four digits of years', '+275760-09-13T00:00:00Z'],
  ['is a number', 1_700_000_000],
])('a time that %s is refused', (_, written) => {
  expect(InstantWithOffset.safeParse(written).success).toBe(false)
})
