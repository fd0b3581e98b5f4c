import { AppError } from '@herald/contracts/errors'
import { IdempotencyKey } from '@herald/contracts/idempotency'
import type { Request } from 'express'
import { readIfMatch } from '../entity-tags.ts'
import type { EdgeRequest } from './endpoint.ts'
import type { Route } from '@herald/contracts/http'

type Conditions = Pick<EdgeRequest<Route>, 'idempotencyKey' | 'ifMatch'>

/** The headers by which a caller says under which conditions a request is to be carried out. */
export function conditionsOf({ method, headers, headersDistinct }: Request): Conditions {
  switch (method) {
    case 'POST':
      return readIdempotencyKey(headersDistinct['idempotency-key'])
    case 'PATCH':
    case 'DELETE':
      return headers['if-match'] === undefined ? {} : { ifMatch: readIfMatch(headers['if-match']) }
    default:
      return {}
  }
}

function readIdempotencyKey(given: string[] | undefined): Conditions {
  if (given === undefined) return {}
  const [key, another] = given
  if (another !== undefined) throw invalidKey('is given twice')
  const parsed = IdempotencyKey.safeParse(key)
  if (parsed.success) return { idempotencyKey: parsed.data }
  throw invalidKey('must be 1 to 255 printable ASCII characters')
}

function invalidKey(message: string): AppError {
  return new AppError('validation_failed', 'The Idempotency-Key is not valid.', {
    details: { issues: [{ path: 'Idempotency-Key', message }] },
  })
}
