import type { z } from 'zod'
import { bearerOf, type Call, Refusal } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { refuse, refuseParams, unauthenticated } from './refusals.ts'
import type { Tiktok } from './server.ts'

/** Whose token a call carries, if it is good and has the scope. */
export function authenticate({ provider }: Tiktok, call: Call, scope: string): Account {
  const standing = provider.standing(bearerOf(call))
  if (standing.standing !== 'good') throw new Refusal(unauthenticated())
  if (!standing.token.scopes.includes(scope))
    refuse(401, 'scope_not_authorized', `The user did not authorize the scope ${scope}.`)
  return standing.account
}

/** The body of a call, which is JSON and says so. */
export function readBody<Schema extends z.ZodType>(schema: Schema, call: Call): z.output<Schema> {
  if (!String(call.headers['content-type'] ?? '').startsWith('application/json'))
    refuseParams('The Content-Type must be application/json; charset=UTF-8.')
  let json: unknown
  try {
    json = JSON.parse(call.body.toString() || '{}')
  } catch {
    refuseParams('The request body is not JSON.')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refuseParams(`The request is not valid: ${issue?.path.join('.')} ${issue?.message}`)
}
