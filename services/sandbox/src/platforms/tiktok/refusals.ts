import { type Answer, jsonAnswer, Refusal } from '../../call.ts'
import { randomText } from '../../random-text.ts'

/** What TikTok says of a call, good or bad: the code is `ok` for a success. */
export function envelope(status: number, data: unknown, code = 'ok', message = ''): Answer {
  return jsonAnswer(status, { data, error: { code, message, log_id: randomText(12) } })
}

export function errorAnswer(status: number, code: string, message: string): Answer {
  return envelope(status, {}, code, message)
}

export function refuse(status: number, code: string, message: string): never {
  throw new Refusal(errorAnswer(status, code, message))
}

export function refuseParams(message: string): never {
  refuse(400, 'invalid_params', message)
}

export function unauthenticated(): Answer {
  const message = 'The access token is invalid or not found in the request.'
  return errorAnswer(401, 'access_token_invalid', message)
}
