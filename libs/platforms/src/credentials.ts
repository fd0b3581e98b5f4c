import { z } from 'zod'
import { ConnectError } from './platform.ts'

/** A token or password that can stand in a header: printable ASCII without spaces. */
export const Secret = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'is empty or has characters that cannot be part of it')

/** The credentials a platform needs, or `ConnectError` `refused` with what is wrong with those given. */
export function readCredentials<T extends z.ZodType>(
  schema: T,
  credentials: Record<string, string>,
): z.output<T> {
  const parsed = schema.safeParse(credentials)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw new ConnectError('refused', `The credentials are not complete: ${problems.join('; ')}.`)
}
