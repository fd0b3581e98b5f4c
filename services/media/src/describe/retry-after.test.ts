import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)

test.each([
  ['30', 30_000],
  ['Sat, 21 Nov 2026 09:31:00 GMT', 60_000],
  ['3600', 900_000],
  ['9'.repeat(400), 900_000],
  ['Sun, 21 Nov 2077 09:30:00 GMT', 900_000],
  ['0', null],
  ['-5', null],
  ['1e3', null],
  ['soon', null],
  ['', null],
  [null, null],
  ['Fri, 20 Nov 2026 09:30:00 GMT', null],
  ['Sun, 99 Nov 2026 09:30:00 GMT', null],
])('Retry-After %s asks to wait %s ms', (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected)
})
