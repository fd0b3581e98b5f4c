import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { API_KEY_PATTERN } from '@herald/contracts/accounts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_CHARACTERS = 6

/** Whether a text can be a key at all: its shape and the checksum at its end. Nobody needs to be asked for that. */
export function isWellFormed(key: string): boolean {
  if (!API_KEY_PATTERN.test(key)) return false
  let value = 0
  for (const character of key.slice(-CHECKSUM_CHARACTERS))
    value = value * 62 + ALPHABET.indexOf(character)
  return value === crc32(key.slice(0, -CHECKSUM_CHARACTERS))
}

/** What is asked about a key: its SHA-256 in hex. The key itself goes nowhere. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
