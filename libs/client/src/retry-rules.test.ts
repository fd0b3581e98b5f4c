import { describe, expect, test } from 'vitest'
import { type Ending, mayRepeat, retryAfterOf, waitBefore } from './retry-rules.ts'

const answer = (status: number, isInProgress = false): Ending => ({
  kind: 'answer',
  status,
  retryAfterMs: null,
  isInProgress,
})

describe('a request is made again', () => {
  test.each<[string, Ending, repeatable: boolean, other: boolean]>([
    ['after 429', answer(429), true, true],
    ['after 503', answer(503), true, false],
    ['after 502', answer(502), true, false],
    ['after 504', answer(504), true, false],
    ['after 408', answer(408), true, false],
    ['while the first try is still in work', answer(409, true), true, false],
    ['after another 409', answer(409), false, false],
    ['after 500', answer(500), false, false],
    ['after 422', answer(422), false, false],
    ['after 404', answer(404), false, false],
    ['after 302', answer(302), false, false],
    ['without a connection', { kind: 'no_answer', isUnsent: true }, true, true],
    ['without an answer', { kind: 'no_answer', isUnsent: false }, true, false],
  ])('%s: if a repeat does no harm %s, else %s', (...[, ending, repeatable, other]) => {
    expect(mayRepeat(ending, true)).toBe(repeatable)
    expect(mayRepeat(ending, false)).toBe(other)
  })
})

test.each([
  [1, null, 0, 250],
  [1, null, 1, 500],
  [2, null, 1, 1_000],
  [3, null, 0, 1_000],
  [5, null, 1, 8_000],
  [50, null, 1, 8_000],
  [1, 3_000, 0, 3_000],
  [9, 3_000, 1, 3_250],
])(
  'before try %i, asked to wait %s ms, with jitter %d it waits %i ms',
  (...[next, asked, jitter, wait]) => {
    expect(waitBefore(next, asked, jitter)).toBe(wait)
  },
)

const NOW = Date.UTC(2026, 10, 21, 9, 30)

test.each([
  ['30', 30_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 09:31:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 09:31:00 GMT', 0],
  ['Sun, 99 Nov 2026 09:31:00 GMT', null],
  ['-5', null],
  ['1e3', null],
  ['', null],
])('Retry-After %j is read as %s ms', (text, expected) => {
  expect(retryAfterOf(new Headers({ 'retry-after': text }), NOW)).toBe(expected)
})
