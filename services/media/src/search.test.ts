import { describe, expect, test } from 'vitest'
import { patternsOf, searchTextOf } from './search.ts'

test('what is searched is one line for each part that there is, in lower case and in plain letters', () => {
  expect(searchTextOf(['Cat.PNG', null, 'ＷＩＤＥ ﬁne'])).toBe('cat.png\nwide fine')
  expect(searchTextOf([null])).toBe('')
})

describe('the patterns of', () => {
  test.each([
    ['cat', ['%cat%']],
    ['Big  CAT\tcat\n', ['%big%', '%cat%']],
    ['', []],
    [' \u00a0\u3000 ', []],
    ['100%', ['%100\\%%']],
    ['a_b', ['%a\\_b%']],
    ['a\\b', ['%a\\\\b%']],
    ['\\%_', ['%\\\\\\%\\_%']],
    ["it's", ["%it's%"]],
    ['ﬁne', ['%fine%']],
  ])('%j are %j', (question, patterns) => {
    expect(patternsOf(question)).toEqual(patterns)
  })
})
