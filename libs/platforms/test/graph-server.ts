import { type Answer, type Received, scriptedServer } from './scripted-server.ts'

/** A Graph API that answers by method and path, such as `POST /v1.0/1/threads`; of a list the last answer stays. */
export function graphServer(answers: Record<string, Answer | Answer[]>) {
  const left = new Map(
    Object.entries(answers).map(([call, answer]) => [
      call,
      Array.isArray(answer) ? [...answer] : [answer],
    ]),
  )
  return scriptedServer(({ method, path }) => {
    const list = left.get(`${method} ${path}`) ?? []
    return (list.length > 1 ? list.shift() : list[0]) ?? { status: 404, body: '' }
  })
}

/** A refusal of a Graph API. */
export function graphRefusal(
  code: number,
  subcode?: number,
  message = 'No',
  more: Record<string, unknown> = {},
): Answer {
  return { status: 400, body: { error: { message, code, error_subcode: subcode, ...more } } }
}

export function calls(received: Received[]): string[] {
  return received.map(({ method, path }) => `${method} ${path}`)
}

export function formOf({ body }: Received): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body))
}
