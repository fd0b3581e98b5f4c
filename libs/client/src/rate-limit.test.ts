import { expect, test } from 'vitest'
import { rateLimitOf, type RateLimit } from './rate-limit.ts'

const NOW = Date.UTC(2026, 10, 21)

test.each<[string, Record<string, string>, RateLimit]>([
  [
    'both limits',
    {
      RateLimit: '"minute";r=12;t=34, "month";r=8211;t=950400',
      'RateLimit-Policy': '"minute";q=60;w=60, "month";q=10000;w=2592000',
    },
    {
      minute: { limit: 60, remaining: 12, resetsInSeconds: 34 },
      month: { limit: 10_000, remaining: 8_211, resetsInSeconds: 950_400 },
    },
  ],
  [
    'one limit without its policy',
    { RateLimit: '"month"; r=0; t=60' },
    { minute: null, month: { limit: null, remaining: 0, resetsInSeconds: 60 } },
  ],
  [
    'the older headers',
    {
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': String(NOW / 1000 + 5),
    },
    { minute: { limit: 60, remaining: 59, resetsInSeconds: 5 }, month: null },
  ],
  [
    'older headers of a minute that is over',
    { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' },
    { minute: { limit: 60, remaining: 0, resetsInSeconds: 0 }, month: null },
  ],
  ['no header', {}, { minute: null, month: null }],
  [
    'headers that cannot be read',
    { RateLimit: 'minute=12, "month";r=x', 'X-RateLimit-Limit': 'many' },
    { minute: null, month: null },
  ],
])('%s are read from an answer', (_, headers, expected) => {
  expect(rateLimitOf(new Headers(headers), NOW)).toEqual(expected)
})
