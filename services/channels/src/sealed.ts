import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { VersionedSecret, VersionedSecrets } from '@herald/service/versioned-secrets'

/** Secrets as they are stored: AES-256-GCM, the authentication tag behind the ciphertext. */
export type Sealed = { key_version: number; nonce: Buffer; ciphertext: Buffer }

/** The row that secrets belong to. They open in no other row and for no other organization. */
export type Place = { organizationId: string; row: string }

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a value of JSON for its row, with the first of the keys. */
export function seal(secrets: unknown, place: Place, keys: VersionedSecrets): Sealed {
  return sealWith(secrets, place, keys[0], randomBytes(NONCE_BYTES))
}

/**
 * The same secrets under the first of the keys. They keep their nonce, by which others know whether secrets have changed
 * since they read them; under a key it stands for the same secrets always.
 */
export function sealAgain(sealed: Sealed, place: Place, keys: VersionedSecrets): Sealed {
  return sealWith(open(sealed, place, keys), place, keys[0], sealed.nonce)
}

function sealWith(
  secrets: unknown,
  place: Place,
  { version, secret }: VersionedSecret,
  nonce: Buffer,
): Sealed {
  const cipher = createCipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(place, version))
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  return { key_version: version, nonce, ciphertext: Buffer.concat([text, cipher.getAuthTag()]) }
}

/** Decrypts it. Throws when it was changed, or belongs to another row, organization or key. */
export function open(sealed: Sealed, place: Place, keys: VersionedSecrets): unknown {
  const { nonce, ciphertext, key_version: version } = sealed
  const key = keys.find((candidate) => candidate.version === version)
  if (!key)
    throw new Error(`Secrets are sealed with version ${version} of the key, which is not given.`)
  const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: TAG_BYTES })
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
