import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

type Said = { message: string; domain?: string; status?: string }

/** Google's error body. */
export function errorAnswer(
  code: number,
  reason: string,
  { message, domain = 'global', status }: Said,
): Answer {
  const error = { code, message, errors: [{ message, domain, reason }], ...(status && { status }) }
  return jsonAnswer(code, { error })
}

export function refuse(code: number, reason: string, said: Said): never {
  throw new Refusal(errorAnswer(code, reason, said))
}

/** What YouTube says of a call in nobody's name. */
export function unauthenticated(): Answer {
  return errorAnswer(401, 'authError', {
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    status: 'UNAUTHENTICATED',
  })
}
