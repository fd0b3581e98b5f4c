import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

type Parameters = { retry_after?: number; migrate_to_chat_id?: number }

/** The Bot API's error body: the status as code, and a sentence that begins with its name. */
export function errorAnswer(status: number, description: string, parameters?: Parameters): Answer {
  const retryAfter = parameters?.retry_after
  return jsonAnswer(
    status,
    { ok: false, error_code: status, description, ...(parameters && { parameters }) },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  )
}

export function refuse(description: string, parameters?: Parameters): never {
  throw new Refusal(errorAnswer(400, `Bad Request: ${description}`, parameters))
}

export function forbid(description: string): never {
  throw new Refusal(errorAnswer(403, `Forbidden: ${description}`))
}
