import type { Response } from 'express'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultKind } from './faults.ts'

/** An answer of a platform before it is sent. */
export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

/** Sends an answer as JSON. */
export function send(response: Response, { status, body, headers = {} }: Answer): void {
  response.status(status).set(headers).json(body)
}

const SLOW_PARTS = 10
const SLOW_PART_MS = 100

/** How faults that come after the effect spoil an answer that the platform gives. */
export async function spoil(response: Response, answer: Answer, fault: FaultKind, error: Answer) {
  switch (fault) {
    case 'drop_before':
    case 'drop_after':
      response.socket?.destroy()
      return
    case 'hang_after':
      // The client gives up; the socket is closed when it does.
      return
    case 'error_before':
    case 'error_after':
      send(response, error)
      return
    case 'malformed':
      response.status(200).type('application/json').send('{"id": "1", "url"')
      return
    case 'slow':
      await dribble(response, answer)
      return
    case 'rate_limit':
    case 'auth_expired':
      send(response, answer)
  }
}

async function dribble(response: Response, { status, body, headers = {} }: Answer): Promise<void> {
  const text = Buffer.from(JSON.stringify(body))
  response
    .status(status)
    .set(headers)
    .type('application/json')
    .set('Content-Length', String(text.length))
  const size = Math.ceil(text.length / SLOW_PARTS)
  for (let at = 0; at < text.length && !response.destroyed; at += size) {
    response.write(text.subarray(at, at + size))
    await sleep(SLOW_PART_MS)
  }
  response.end()
}
