import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { API_KEY_PATTERN } from '@herald/contracts/accounts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_LENGTH = 6

/** Whether a text can be a key at all. A typing mistake or a guess ends here and costs no call. */
export function isWellFormedKey(text: string): boolean {
  return API_KEY_PATTERN.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH)))
}

/** CRC32 as six base62 digits, most significant first. */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** What stands for the key in calls and in the cache, so that the key itself goes nowhere. */
export function digestOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
