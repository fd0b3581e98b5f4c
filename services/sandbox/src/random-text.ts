import { randomBytes } from 'node:crypto'

/** An unguessable text of letters, digits, `-` and `_`: 4 characters for each 3 bytes. */
export function randomText(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}
