import type { ServerResponse } from 'node:http'
import type { Answer } from './call.ts'
import type { FaultKind } from './faults.ts'

const DRIP_PIECES = 20
const DRIP_EVERY_MS = 150

/** Writes an answer, or does with it what a fault says. */
export function deliver(
  response: ServerResponse,
  answer: Answer,
  fault: FaultKind | undefined,
): void {
  switch (fault) {
    case 'drop_before':
    case 'drop_after':
      response.socket?.resetAndDestroy()
      return
    case 'hang_after':
      return
    case 'malformed':
      send(response, { ...answer, status: 200, body: '{"id": "108' })
      return
    case 'slow':
      drip(response, answer)
      return
    case 'error_before':
    case 'error_after':
    case 'rate_limit':
    case 'auth_expired':
    case undefined:
      send(response, answer)
  }
}

function send(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer)
  response.end(answer.body)
}

/** Writes the body a few bytes at a time. */
function drip(response: ServerResponse, answer: Answer): void {
  const bytes = Buffer.from(answer.body)
  const step = Math.max(1, Math.ceil(bytes.length / DRIP_PIECES))
  let sent = 0
  writeHead(response, answer)
  const timer = setInterval(() => {
    if (sent < bytes.length) response.write(bytes.subarray(sent, sent + step))
    else response.end()
    sent += step
  }, DRIP_EVERY_MS)
  response.on('close', () => clearInterval(timer))
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
}
