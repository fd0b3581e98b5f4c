import { createHash } from 'node:crypto'

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * The record key of an attempt: a TID (53 bits of microseconds, 10 bits of clock id, 13 characters that sort by time)
 * whose time is the attempt's and whose low bits come from its key. The same attempt always has the same record key,
 * so the platform cannot take it twice.
 */
export function recordKey(timeMs: number, idempotencyKey: string): string {
  const hash = createHash('sha256').update(idempotencyKey).digest()
  const micros = BigInt(timeMs) * 1000n + BigInt(hash.readUInt16BE(0) % 1000)
  const clockId = BigInt(hash.readUInt16BE(2) % 1024)
  let value = (micros << 10n) | clockId
  let text = ''
  for (let index = 0; index < 13; index++) {
    text = `${ALPHABET[Number(value & 31n)]}${text}`
    value >>= 5n
  }
  return text
}
