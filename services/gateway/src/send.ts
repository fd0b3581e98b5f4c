import type { EdgeResponse } from './locals.ts'

/** Answers with JSON. Express's own `json` does more per answer than is needed here. */
export function send(response: EdgeResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.statusCode = status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.end(text)
}
