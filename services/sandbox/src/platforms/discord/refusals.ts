import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** Discord's error body: a code of its own, a sentence, and for an invalid body which fields are wrong. */
export function errorAnswer(
  status: number,
  code: number,
  message: string,
  errors?: Record<string, unknown>,
): Answer {
  return jsonAnswer(status, { message, code, ...(errors && { errors }) })
}

export function refuse(status: number, code: number, message: string): never {
  throw new Refusal(errorAnswer(status, code, message))
}

/** What Discord says of a body with a wrong field. `path` leads to it: `['attachments', '0', 'description']`. */
export function refuseField(path: string[], code: string, message: string): never {
  const leaf: Record<string, unknown> = { _errors: [{ code, message }] }
  const errors = path.reduceRight((inner, name) => ({ [name]: inner }), leaf)
  throw new Refusal(errorAnswer(400, 50035, 'Invalid Form Body', errors))
}

export function refuseLength(path: string[], limit: number): never {
  refuseField(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${limit} or fewer in length.`)
}
