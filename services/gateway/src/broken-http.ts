import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorEnvelope } from '@herald/contracts/errors'
import { FIXED_HEADERS } from './edge.ts'

type Refusal = { status: number; message: string }

const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are larger than 16 KB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
}
const NOT_HTTP: Refusal = { status: 400, message: 'The request is not valid HTTP/1.1.' }
const EXPECTATION: Refusal = { status: 417, message: 'The Expect header asks for the unknown.' }

/** Gives the envelope to what Node refuses by itself, before any of the app's code runs. */
export function answerBrokenHttp(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => latest.set(request.socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket)
    // An answer that has begun cannot be taken back, and a client that is gone needs none.
    const isFree = !response?.headersSent || (response.writableFinished && response.req.complete)
    if (error.code === 'ECONNRESET' || !socket.writable || !isFree) return void socket.destroy()
    const given = response?.headersSent ? undefined : response?.getHeader('X-Request-Id')
    socket.end(refusalText(REFUSALS[error.code ?? ''] ?? NOT_HTTP, given))
  })
  server.on('checkExpectation', (request) => void request.socket.end(refusalText(EXPECTATION)))
}

function refusalText({ status, message }: Refusal, requestId: unknown = randomUUID()): string {
  const envelope: ErrorEnvelope = { error: { code: 'validation_failed', message } }
  const body = JSON.stringify(envelope)
  const headers = {
    'X-Request-Id': String(requestId),
    ...FIXED_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
