import { AppError } from '@herald/contracts/errors'
import type { z } from 'zod'

/** A value in the shape of a schema; 422 with all issues and their paths when it does not have it. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: 'body' | 'query',
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap(toIssues)
  throw new AppError('validation_failed', `The ${what} is not valid.`, { details: { issues } })
}

/** The query's fields; a field that is given twice is 422. */
export function readQuery(url: string): Record<string, string> {
  const at = url.indexOf('?')
  const query: Record<string, string> = {}
  if (at < 0) return query
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (Object.hasOwn(query, name))
      throw new AppError('validation_failed', 'The query is not valid.', {
        details: { issues: [{ path: name, message: 'is given twice' }] },
      })
    Object.defineProperty(query, name, { value, enumerable: true })
  }
  return query
}

function toIssues(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      message: 'is not a known field',
    }))
  return [{ path, message: issue.message }]
}
