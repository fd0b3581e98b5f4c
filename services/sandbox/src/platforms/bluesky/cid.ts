import { createHash } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const RAW = 0x55
const DAG_CBOR = 0x71

/** The content id of a file, as every server of the network has it. */
export function cidOfBytes(bytes: Buffer): string {
  return toCid(RAW, bytes)
}

/**
 * The content id of a record. It has the form of a real one and depends on nothing but the content, but it is not the
 * one of other servers: the content is hashed as JSON with sorted keys, where they hash DAG-CBOR.
 */
export function cidOfRecord(value: unknown): string {
  return toCid(DAG_CBOR, Buffer.from(JSON.stringify(sorted(value))))
}

/** CIDv1 with SHA-256, in base32. */
function toCid(codec: number, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest()
  return `b${base32(Buffer.concat([Buffer.from([1, codec, 0x12, hash.length]), hash]))}`
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '').join('')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
