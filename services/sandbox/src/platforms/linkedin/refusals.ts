import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** LinkedIn's error body. */
export function errorAnswer(
  status: number,
  code: string,
  message: string,
  more: Record<string, unknown> = {},
): Answer {
  return jsonAnswer(status, { message, code, status, ...more })
}

export function refuse(
  status: number,
  code: string,
  message: string,
  more: Record<string, unknown> = {},
): never {
  throw new Refusal(errorAnswer(status, code, message, more))
}

/** What LinkedIn says of a field that is not valid. */
export function refuseField(code: string, field: string, description: string): never {
  const inputErrors = [{ code, description, input: { inputPath: { fieldPath: field } } }]
  const errorDetails = { inputErrors }
  refuse(400, 'BAD_REQUEST', `${field}: ${description}`, {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    errorDetails,
  })
}
