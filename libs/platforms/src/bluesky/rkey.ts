import { createHash } from 'node:crypto'

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * The record key of a post: a TID (13 characters that sort by time) made of the post's time and its idempotency key
 * alone, so that every call for one post and channel names the same record. The time has milliseconds; the
 * microseconds below them and the clock id come from a hash of the key, which keeps posts of one millisecond apart.
 */
export function rkeyOf({ rkeyTime, idempotencyKey }: RkeyInput): string {
  const hash = createHash('sha256').update(idempotencyKey).digest()
  const microseconds = BigInt(rkeyTime) * 1000n + BigInt(hash.readUInt32BE(0) % 1000)
  const clockId = BigInt(hash.readUInt16BE(4) % 1024)
  let value = (BigInt.asUintN(53, microseconds) << 10n) | clockId
  let tid = ''
  for (let index = 0; index < 13; index++) {
    tid = ALPHABET.charAt(Number(value & 31n)) + tid
    value >>= 5n
  }
  return tid
}

export type RkeyInput = { rkeyTime: number; idempotencyKey: string }
