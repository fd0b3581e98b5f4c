import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Secrets as they are stored: AES-256-GCM, the authentication tag behind the ciphertext. */
export type Sealed = { key_version: number; nonce: Buffer; ciphertext: Buffer }

/** The row that secrets belong to. They open in no other row and for no other organization. */
export type Place = { organizationId: string; row: string }

const KEY_VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a value of JSON for its row. */
export function seal(secrets: unknown, place: Place, key: Buffer): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(place, KEY_VERSION))
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  return { key_version: KEY_VERSION, nonce, ciphertext: Buffer.concat([text, cipher.getAuthTag()]) }
}

/** Decrypts it. Throws when it was changed, or belongs to another row, organization or key. */
export function open(sealed: Sealed, place: Place, key: Buffer): unknown {
  const { nonce, ciphertext, key_version: version } = sealed
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(place, version))
  decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES))
  const text = Buffer.concat([
    decipher.update(ciphertext.subarray(0, -TAG_BYTES)),
    decipher.final(),
  ])
  return JSON.parse(text.toString('utf8'))
}

function boundTo({ organizationId, row }: Place, version: number): Buffer {
  return Buffer.from(`${organizationId}|${row}|${version}`)
}
