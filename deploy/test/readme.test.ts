import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentedValues, README, readmeNow } from '../write-readme.ts'

test('the README of the chart shows its values as they are', () => {
  expect(readFileSync(README, 'utf8')).toBe(readmeNow())
})

test('a value is documented by the comment above it, or above what it is part of', () => {
  const yaml = `
# About all.

# One
# of several lines.
a: 1
# The part.
b:
  # Two.
  c: { d: [2] }
  # Three.
  e: ""
`
  expect(documentedValues(yaml)).toEqual([
    { path: 'a', meaning: 'One of several lines.', value: 1 },
    { path: 'b', meaning: 'The part.', value: undefined },
    { path: 'b.c', meaning: 'Two.', value: { d: [2] } },
    { path: 'b.e', meaning: 'Three.', value: '' },
  ])
})

test('a value without a comment is not accepted', () => {
  expect(() => documentedValues('a:\n  # One.\n  b: 1\n  c: 2\n')).toThrow('no comment: a.c.')
})
