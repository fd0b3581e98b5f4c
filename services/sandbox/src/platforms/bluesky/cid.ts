import { createHash } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const CID_VERSION = 1
const SHA_256 = [0x12, 0x20]
const CODEC = { record: 0x71, blob: 0x55 }

/** The content id of some bytes: CIDv1 of their SHA-256, in base32. */
export function cidOf(bytes: Uint8Array | string, kind: keyof typeof CODEC): string {
  const hash = createHash('sha256').update(bytes).digest()
  return `b${base32(Buffer.from([CID_VERSION, CODEC[kind], ...SHA_256, ...hash]))}`
}

/** JSON with the keys in order, so that the same record always has the same id. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : part,
  )
}

function base32(bytes: Buffer): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text
}
