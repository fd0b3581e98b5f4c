import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { AccountMaker } from '../../control.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const DOMAIN = 'sandbox.test'

/** Bluesky's accounts: a DID, a handle, and an app password. */
export const blueskyAccounts: AccountMaker = {
  path: '/bluesky',
  make: (username) => ({
    platform: 'BLUESKY',
    id: `did:plc:${base32(randomBytes(15))}`,
    username: `${username.replaceAll('_', '-')}.${DOMAIN}`,
    secrets: { appPassword: (base32(randomBytes(10)).match(/.{4}/g) ?? []).join('-') },
  }),
  credentials: ({ username, secrets: { appPassword = '' } }) => ({
    identifier: username,
    appPassword,
  }),
}

/** Lower-case base 32 without padding, as DIDs and CIDs use it. */
export function base32(bytes: Buffer): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(buffer << (5 - bits)) & 31] : text
}

/** A content id that looks like the real ones: CIDv1, SHA-256. Codec 0x71 is a record, 0x55 raw bytes. */
export function contentId(content: Buffer | string, codec: 0x71 | 0x55): string {
  const hash = createHash('sha256').update(content).digest()
  return `b${base32(Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), hash]))}`
}

/** A JWT signed with a key of this sandbox; clients read its expiry. */
export function signJwt(payload: Record<string, unknown>, key: Buffer): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ typ: 'at+jwt', alg: 'HS256' })}.${part(payload)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}
