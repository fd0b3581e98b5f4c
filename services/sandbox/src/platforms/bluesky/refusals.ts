import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

/** The body of every XRPC error: `{ error, message }`. */
export function errorAnswer(status: number, error: string, message: string): Answer {
  return jsonAnswer(status, { error, message })
}

export function refuse(status: number, error: string, message: string): never {
  throw new Refusal(errorAnswer(status, error, message))
}

export function refuseInput(message: string): never {
  refuse(400, 'InvalidRequest', message)
}
