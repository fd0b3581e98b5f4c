import { z } from 'zod'

/** A key that credentials are encrypted with, and the version that says so beside each of them. */
export type CredentialsKey = { version: number; secret: Buffer }

/** The keys that open credentials. What is sealed anew is sealed with the first. */
export type CredentialsKeys = readonly [CredentialsKey, ...CredentialsKey[]]

const SECRET_BYTES = 32

/** A key of 32 bytes in base64. */
export const KeySecret = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(({ length }) => length === SECRET_BYTES, 'must be 32 bytes in base64')

/** `2:base64,1:base64`. */
export const KeyList = z
  .string()
  .transform((text) => text.split(',').map(splitOnce))
  .pipe(
    z.array(
      z.object({
        version: z
          .string()
          .regex(/^[1-9]\d{0,4}$/, 'must be a list such as 2:base64,1:base64')
          .transform(Number),
        secret: KeySecret,
      }),
    ),
  )

type Given = { only: Buffer | undefined; listed: CredentialsKey[] | undefined }

/** All keys of the environment, those of the list first; the one that is given alone is version 1. Undefined when there is none or a version is given twice. */
export function keysFrom({ only, listed = [] }: Given): CredentialsKeys | undefined {
  const [first, ...others] = only ? [...listed, { version: 1, secret: only }] : listed
  if (!first) return undefined
  const versions = new Set([first, ...others].map(({ version }) => version))
  return versions.size === others.length + 1 ? [first, ...others] : undefined
}

function splitOnce(text: string): { version: string; secret: string } {
  const at = text.indexOf(':')
  return { version: text.slice(0, Math.max(at, 0)), secret: text.slice(at + 1) }
}
