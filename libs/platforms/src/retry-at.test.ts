import { describe, expect, test } from 'vitest'
import { LONGEST_WAIT_MS, retryAt } from './retry-at.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const seconds = (at: number) => String(at / 1000)

describe('a rate-limited call may be made again', () => {
  test.each<[string, Record<string, string>, number | null]>([
    ['after the seconds of Retry-After', { 'retry-after': '30' }, NOW + 30_000],
    [
      'at the date of Retry-After',
      { 'retry-after': 'Sat, 21 Nov 2026 09:31:00 GMT' },
      NOW + 60_000,
    ],
    [
      'at the ISO time of X-RateLimit-Reset',
      { 'x-ratelimit-reset': '2026-11-21T09:35:00.123456Z' },
      NOW + 300_123,
    ],
    [
      'at an ISO time with an offset',
      { 'x-ratelimit-reset': '2026-11-21T10:35:00+01:00' },
      NOW + 300_000,
    ],
    [
      'at the Unix time of X-RateLimit-Reset',
      { 'x-ratelimit-reset': seconds(NOW + 60_000) },
      NOW + 60_000,
    ],
    ['after the seconds of X-RateLimit-Reset', { 'x-ratelimit-reset': '90' }, NOW + 90_000],
    [
      'at the Unix time of X-Rate-Limit-Reset',
      { 'x-rate-limit-reset': seconds(NOW + 60_000) },
      NOW + 60_000,
    ],
    [
      'at the Unix time of RateLimit-Reset',
      { 'ratelimit-reset': seconds(NOW + 60_000) },
      NOW + 60_000,
    ],
    [
      "at a moment of the platform's own clock, however wrong that is",
      {
        date: 'Mon, 01 Jun 2020 12:00:00 GMT',
        'x-ratelimit-reset': seconds(Date.UTC(2020, 5, 1, 12, 1)),
      },
      NOW + 60_000,
    ],
    ['after parts of a second', { 'retry-after': '0.65' }, NOW + 650],
    [
      'after the seconds of X-RateLimit-Reset-After before X-RateLimit-Reset',
      { 'x-ratelimit-reset-after': '1.5', 'x-ratelimit-reset': seconds(NOW + 60_000) },
      NOW + 1500,
    ],
    [
      'at a Unix time with parts of a second',
      { 'x-ratelimit-reset': `${NOW / 1000 + 3}.25` },
      NOW + 3250,
    ],
    [
      'by Retry-After before the others',
      { 'retry-after': '5', 'ratelimit-reset': seconds(NOW + 60_000) },
      NOW + 5_000,
    ],
    [
      'by the next header when one is unreadable',
      { 'retry-after': 'abc', 'ratelimit-reset': seconds(NOW + 60_000) },
      NOW + 60_000,
    ],
    [
      'by the next header when one is past',
      {
        'retry-after': 'Fri, 20 Nov 2026 09:30:00 GMT',
        'x-ratelimit-reset': '2026-11-21T09:31:00Z',
      },
      NOW + 60_000,
    ],
    [
      'after the minutes of X-Business-Use-Case-Usage, the longest of them',
      {
        'x-business-use-case-usage':
          '{"178":[{"type":"instagram","estimated_time_to_regain_access":4},{"estimated_time_to_regain_access":7}]}',
      },
      NOW + 420_000,
    ],
    ['15 minutes later at most', { 'retry-after': '3600' }, NOW + LONGEST_WAIT_MS],
    [
      '15 minutes later at most, by date',
      { 'retry-after': 'Sun, 21 Nov 2077 09:30:00 GMT' },
      NOW + LONGEST_WAIT_MS,
    ],
    [
      '15 minutes later at most, however many digits',
      { 'retry-after': '9'.repeat(400) },
      NOW + LONGEST_WAIT_MS,
    ],
    [
      '15 minutes later at most, by Unix time',
      { 'ratelimit-reset': '99999999999999' },
      NOW + LONGEST_WAIT_MS,
    ],
  ])('%s', (_, headers, expected) => {
    expect(retryAt(headers, NOW)).toBe(expected)
  })

  test.each<[string, Record<string, string>]>([
    ['there is no header', {}],
    ['the wait is negative', { 'retry-after': '-5' }],
    ['the wait is zero', { 'retry-after': '0' }],
    ['the wait is no number', { 'retry-after': 'abc' }],
    ['the wait is empty', { 'retry-after': '' }],
    ['the wait is written as a power', { 'retry-after': '1e3' }],
    ['the date is past', { 'retry-after': 'Fri, 20 Nov 2026 09:30:00 GMT' }],
    ['the date does not exist', { 'retry-after': 'Sun, 99 Nov 2026 09:30:00 GMT' }],
    ['the ISO time is past', { 'x-ratelimit-reset': '2026-11-21T09:29:00Z' }],
    ['the ISO time does not exist', { 'x-ratelimit-reset': '2026-13-41T29:29:00Z' }],
    ['the Unix time is past', { 'ratelimit-reset': '1' }],
    ['the seconds until the reset are none', { 'x-ratelimit-reset': '0' }],
    [
      'X-Business-Use-Case-Usage says that there is no wait',
      { 'x-business-use-case-usage': '{"178":[{"estimated_time_to_regain_access":0}]}' },
    ],
    ['X-Business-Use-Case-Usage is nonsense', { 'x-business-use-case-usage': '{"178"' }],
    ['the Unix time is negative', { 'ratelimit-reset': '-1' }],
  ])('at no known time when %s', (_, headers) => {
    expect(retryAt(headers, NOW)).toBeNull()
  })
})
