import { expect, test } from 'vitest'
import { usesContainers } from '../src/infrastructure.ts'

test.each([
  { wanted: undefined, expected: false },
  { wanted: '', expected: false },
  { wanted: 'embedded', expected: false },
  { wanted: 'containers', expected: true },
])('HERALD_TEST_INFRA=$wanted takes containers: $expected', ({ wanted, expected }) => {
  expect(usesContainers({ HERALD_TEST_INFRA: wanted })).toBe(expected)
})

test('a HERALD_TEST_INFRA that is neither is refused instead of testing other servers than meant', () => {
  expect(() => usesContainers({ HERALD_TEST_INFRA: 'container' })).toThrow(
    'HERALD_TEST_INFRA is container',
  )
})
