import { z } from 'zod'

/** A secret that hashes of keys are made with, and the version that says so beside each hash. */
export type Pepper = { version: number; secret: Buffer }

/** The peppers that are accepted. New hashes are made with the first. */
export type Peppers = readonly [Pepper, ...Pepper[]]

const SECRET_BYTES = 32

/** A secret of 32 bytes in base64. */
export const PepperSecret = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(({ length }) => length === SECRET_BYTES, 'must be 32 bytes in base64')

/** `2:base64,1:base64`. */
export const PepperList = z
  .string()
  .transform((text) => text.split(',').map(splitOnce))
  .pipe(
    z.array(
      z.object({
        version: z
          .string()
          .regex(/^[1-9]\d{0,4}$/, 'must be a list such as 2:base64,1:base64')
          .transform(Number),
        secret: PepperSecret,
      }),
    ),
  )

type Given = { API_KEY_PEPPER?: Buffer | undefined; API_KEY_PEPPERS?: Pepper[] | undefined }

/** All peppers of the environment; `API_KEY_PEPPER` alone is version 1. Undefined when there is none or a version is given twice. */
export function peppersFrom(given: Given): Peppers | undefined {
  const { API_KEY_PEPPER: only, API_KEY_PEPPERS: listed = [] } = given
  const [first, ...others] = only ? [...listed, { version: 1, secret: only }] : listed
  if (!first) return undefined
  const versions = new Set([first, ...others].map(({ version }) => version))
  return versions.size === others.length + 1 ? [first, ...others] : undefined
}

function splitOnce(text: string): { version: string; secret: string } {
  const at = text.indexOf(':')
  return { version: text.slice(0, Math.max(at, 0)), secret: text.slice(at + 1) }
}
