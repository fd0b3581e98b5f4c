import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** Reddit's words for a status. */
const WORDS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}

/** How Reddit refuses what is not a matter of the post: `{ message, error, reason? }`. */
export function errorAnswer(
  status: number,
  more: { reason?: string; headers?: Record<string, string> } = {},
): Answer {
  const { reason, headers } = more
  const body = { message: WORDS[status], error: status, ...(reason !== undefined && { reason }) }
  return jsonAnswer(status, body, headers)
}

export function refuse(status: number, more?: Parameters<typeof errorAnswer>[1]): never {
  throw new Refusal(errorAnswer(status, more))
}

/** How Reddit refuses a post: status 200 and a list of code, sentence and field. */
export function refusePost(
  code: string,
  message: string,
  field: string,
  more: Record<string, number> = {},
): never {
  throw new Refusal(jsonAnswer(200, { json: { errors: [[code, message, field]], ...more } }))
}
