import { type Answer, jsonAnswer, Refusal } from '../../call.ts'

const PROBLEMS = 'https://api.x.com/2/problems'

/** X's error body: a problem as of RFC 7807. */
export function problemAnswer(
  status: number,
  title: string,
  detail: string,
  kind?: string,
  more: Record<string, unknown> = {},
): Answer {
  const type = kind === undefined ? 'about:blank' : `${PROBLEMS}/${kind}`
  return jsonAnswer(
    status,
    { ...more, title, detail, type, status },
    { 'content-type': 'application/problem+json' },
  )
}

export function forbid(detail: string): never {
  throw new Refusal(problemAnswer(403, 'Forbidden', detail))
}

export function refuseUnknown(what: string, id: string): never {
  const detail = `Could not find ${what} with id: [${id}].`
  throw new Refusal(problemAnswer(404, 'Not Found Error', detail, 'resource-not-found'))
}

/** What X says of a parameter that is not valid. */
export function refuseInvalid(parameter: string, value: unknown, message: string): never {
  const given = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  const errors = [{ parameters: { [parameter]: [given] }, message }]
  const detail = 'One or more parameters to your request was invalid.'
  throw new Refusal(problemAnswer(400, 'Invalid Request', detail, 'invalid-request', { errors }))
}
