import type { Call } from '../../call.ts'
import { refuse } from './refusals.ts'

/** The JSON of a body. */
export function readJsonBody({ body }: Call): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return refuse(400, 'BAD_REQUEST', 'The body is not JSON')
  }
}
