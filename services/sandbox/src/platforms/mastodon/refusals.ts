import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** Mastodon's error body: `{ error, error_description? }`. */
export function errorAnswer(status: number, error: string, description?: string): Answer {
  const body = { error, ...(description !== undefined && { error_description: description }) }
  return jsonAnswer(status, body)
}

export function refuse(status: number, error: string, description?: string): never {
  throw new Refusal(errorAnswer(status, error, description))
}

/** What Mastodon says of a model that is not valid. */
export function refuseInvalid(...problems: string[]): never {
  refuse(422, `Validation failed: ${problems.join(', ')}`)
}

export function refuseUnknown(): never {
  refuse(404, 'Record not found')
}
