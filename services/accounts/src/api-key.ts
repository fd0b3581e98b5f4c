import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'herald_live_'
const RANDOM_CHARACTERS = 40
const CHECKSUM_CHARACTERS = 6
/** How much of a key is shown, for recognising it. */
const SHOWN_CHARACTERS = 16

/**
 * A new live key: the fixed prefix, 40 random characters (238 bits) and the CRC32 of all that in six characters, by
 * which a mistyped key is refused without asking anybody, and a leaked one is found by scanners.
 */
export function mintKey(): string {
  const start = PREFIX + randomText(RANDOM_CHARACTERS)
  return start + base62(crc32(start)).padStart(CHECKSUM_CHARACTERS, '0')
}

/** The first characters of a key. */
export function prefixOf(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS)
}

/** What travels between services instead of the key: its SHA-256 in hex. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** What is stored of a key: an HMAC of its digest under the pepper. */
export function hashOf(digest: string, pepper: Buffer): string {
  return createHmac('sha256', pepper).update(digest).digest('base64url')
}

/** Random characters without bias: bytes beyond the last multiple of 62 are thrown away. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  return text
}

function base62(value: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text
  return text
}
