import { expect, test } from 'vitest'
import { checkKey, checkPrefix, isKey } from './key.ts'

test.each(['a', 'staging/med_01kb5/one-two.png', 'a/.hidden', 'a/0', `a/${'b'.repeat(200)}`])(
  '%s is a key',
  (key) => {
    expect(isKey(key)).toBe(true)
    expect(() => checkKey(key)).not.toThrow()
  },
)

test.each([
  '',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/..',
  'a/./b',
  'A',
  'a b',
  'a%2e',
  'a\\b',
  'a\0',
  'a\n',
  'é',
  '1e3',
  `a/${'b'.repeat(201)}`,
  'a/'.repeat(300) + 'a',
])('%j is no key', (text) => {
  expect(isKey(text)).toBe(false)
  expect(() => checkKey(text)).toThrow(TypeError)
})

test.each(['', 'a', 'a/', 'a/b', 'a/b-'])('keys can start with %j', (prefix) => {
  expect(() => checkPrefix(prefix)).not.toThrow()
})

test.each(['/', '../', 'a/../', 'a//', 'A', '*'])('no key can start with %j', (prefix) => {
  expect(() => checkPrefix(prefix)).toThrow(TypeError)
})
