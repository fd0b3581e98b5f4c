import { AppError } from '@herald/contracts/errors'
import type { z } from 'zod'

const MAX_ISSUES = 20

/** Reads a value by a schema. Throws 422 with the places that are wrong, but never with the values. */
export function validate(schema: z.ZodType, value: unknown, what: 'body' | 'query'): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AppError('validation_failed', `The ${what} is not valid.`, {
    details: {
      issues: parsed.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message,
      })),
    },
  })
}

/** The query of a URL. A parameter that stands twice has no clear meaning and is refused with 422. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  const query: Record<string, string> = Object.create(null)
  if (start === -1) return query
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (name in query)
      throw new AppError('validation_failed', 'The query is not valid.', {
        details: { issues: [{ path: name, message: 'is given twice' }] },
      })
    query[name] = value
  }
  return query
}
