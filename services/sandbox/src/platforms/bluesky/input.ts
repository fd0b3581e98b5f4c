import type { z } from 'zod'
import type { Call } from '../../call.ts'
import { refuseInput } from './refusals.ts'

/** The JSON body of a procedure. */
export function readInput<Schema extends z.ZodType>(call: Call, schema: Schema): z.output<Schema> {
  const type = call.headers['content-type']
  if (call.body.length === 0) refuseInput('Request body is expected but none was provided')
  if (!type?.startsWith('application/json'))
    refuseInput(`Wrong request encoding (Content-Type): ${type ?? 'none'}`)
  return check(parse(call.body.toString()), schema, '$')
}

/** The parameters of a query. */
export function readParams<Schema extends z.ZodType>(call: Call, schema: Schema): z.output<Schema> {
  return check(Object.fromEntries(call.query), schema, '$')
}

/** The body as JSON, where only a look at it is wanted. */
export function peekInput<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(call.body.toString())).data
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuseInput('Unable to parse the request body as JSON')
  }
}

function check<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  root: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = (issue?.path ?? []).map(String)
  const key = path.at(-1) ?? ''
  const isMissing = issue?.code === 'invalid_type' && issue.message.includes('undefined')
  return refuseInput(
    isMissing
      ? `Missing required key "${key}" at ${[root, ...path.slice(0, -1)].join('.')}`
      : `Invalid value at ${[root, ...path].join('.')} (${issue?.message ?? ''})`,
  )
}
