import { z } from 'zod'

/** A secret, and the version that says beside what was made with it which one it was. */
export type VersionedSecret = { version: number; secret: Buffer }

/** The secrets that are accepted. What is made anew is made with the first. */
export type VersionedSecrets = readonly [VersionedSecret, ...VersionedSecret[]]

const SECRET_BYTES = 32

/** A secret of 32 bytes in base64. */
export const Secret = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(({ length }) => length === SECRET_BYTES, 'must be 32 bytes in base64')

const SecretList = z
  .string()
  .transform((text) => text.split(',').map(splitOnce))
  .pipe(
    z.array(
      z.object({
        version: z
          .string()
          .regex(/^[1-9]\d{0,4}$/, 'must be a list such as 2:base64,1:base64')
          .transform(Number),
        secret: Secret,
      }),
    ),
  )

/** `2:base64,1:base64`. An empty text is none, as Compose passes on a variable that is not set. */
export const Secrets = z.preprocess(
  (given) => (given === '' ? undefined : given),
  SecretList.optional(),
)

type Given = { only: Buffer | undefined; listed: VersionedSecret[] | undefined }

/** All secrets of an environment, those of the list first; the one that is given alone is version 1. Undefined when there is none or a version is given twice. */
export function secretsFrom({ only, listed = [] }: Given): VersionedSecrets | undefined {
  const [first, ...others] = only ? [...listed, { version: 1, secret: only }] : listed
  if (!first) return undefined
  const versions = new Set([first, ...others].map(({ version }) => version))
  return versions.size === others.length + 1 ? [first, ...others] : undefined
}

function splitOnce(text: string): { version: string; secret: string } {
  const at = text.indexOf(':')
  return { version: text.slice(0, Math.max(at, 0)), secret: text.slice(at + 1) }
}
