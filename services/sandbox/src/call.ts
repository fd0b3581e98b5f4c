import type { IncomingHttpHeaders } from 'node:http'

/** One request to a platform, read to its end. */
export type Call = {
  method: string
  /** Below the platform's base address, without the query. */
  path: string
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
  /** The caller's address. */
  ip: string
}

/** What a platform answers. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Buffer
  /** The id of the post that this call made live or changed; absent when it did neither. */
  applied?: string
}

/** A refusal that is thrown from deep inside a call: the platform answers with it. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`The platform refused the call with status ${answer.status}.`)
    this.answer = answer
  }
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

/** The token of `Authorization: Bearer …`. */
export function bearerOf({ headers }: Call): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}
