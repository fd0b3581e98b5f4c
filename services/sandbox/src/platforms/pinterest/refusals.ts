import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** Pinterest's error body: `{ code, message }`. */
export function errorAnswer(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return jsonAnswer(status, { code, message }, headers)
}

export function refuse(status: number, code: number, message: string): never {
  throw new Refusal(errorAnswer(status, code, message))
}

export function refuseInvalid(problem: string): never {
  refuse(400, 1, `Invalid request: ${problem}`)
}
