import { randomBytes } from 'node:crypto'
import { API_KEY_PATTERN } from '@herald/contracts/accounts'
import { describe, expect, test } from 'vitest'
import { digestOf, hashOf, mintKey, prefixOf } from '../src/api-key.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keys = Array.from({ length: 4_000 }, mintKey)

/** CRC32 bit by bit, as its definition has it. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

function fromBase62(text: string): number {
  return text.split('').reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0)
}

describe('a new key', () => {
  test('has the documented shape', () => {
    for (const key of keys) expect(key).toMatch(API_KEY_PATTERN)
  })

  test('ends in the CRC32 of everything before, in six base62 digits', () => {
    for (const key of keys) expect(fromBase62(key.slice(-6))).toBe(crc32(key.slice(0, -6)))
  })

  test('never comes twice', () => {
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('has random characters that are all equally likely', () => {
    const counts = new Map<string, number>()
    for (const key of keys)
      for (const character of key.slice(12, 52))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    // Expected 2,581 each with a deviation of 50; a byte taken modulo 62 would give eight of them 3,125.
    for (const character of ALPHABET)
      expect(Math.abs(counts.get(character)! - 2_581)).toBeLessThan(400)
  })

  test('shows its first 16 characters for recognising it', () => {
    for (const key of keys.slice(0, 10)) expect(prefixOf(key)).toBe(key.slice(0, 16))
  })
})

describe('what is stored of a key', () => {
  test('depends on the pepper, so a stolen table does not tell whether a key is in it', () => {
    const [one, other] = [randomBytes(32), randomBytes(32)]
    const digest = digestOf(keys[0]!)
    expect(hashOf(digest, one)).toBe(hashOf(digest, one))
    expect(hashOf(digest, one)).not.toBe(hashOf(digest, other))
    expect(hashOf(digest, one)).not.toContain(digest)
  })
})
