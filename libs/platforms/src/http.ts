import * as http from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { failSpan, inSpan } from '@herald/telemetry/span'
import { openConnection } from './open-connection.ts'

/** Longest answer that is read, unless a call says otherwise. */
const MAX_BYTES = 1_000_000
/** Longest head of an answer. */
const MAX_HEADER_BYTES = 16_384

/** A body of `length` bytes that is read while it is sent, and not before. */
export type StreamedBody = { length: number; chunks: AsyncIterable<Uint8Array> }

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array | StreamedBody
  /** For the whole call, from the name look-up to the last byte. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Longest body of an answer; 1 MB unless given. */
  maxBytes?: number
}

/** `headers` has lower-case names. */
export type HttpResponse = { status: number; headers: Record<string, string>; text: string }

/**
 * What became of a request. `not_sent`: certainly not one byte of it was written. `lost`: it may have reached the
 * platform and been carried out, but there is no whole answer.
 */
export type HttpResult =
  | ({ kind: 'response' } & HttpResponse)
  | { kind: 'not_sent'; error: Error }
  | { kind: 'lost'; error: Error }

/**
 * Makes one HTTP call. The connection is opened first and used for this call alone: on one that was used before, a
 * failure would not tell whether the request had been written. Redirects are not followed. Never rejects.
 */
export function request(input: HttpRequest): Promise<HttpResult> {
  // Paths are left out, because some platforms have keys in them.
  const attributes = { 'http.request.method': input.method, 'server.address': hostOf(input.url) }
  return inSpan(`platform ${input.method}`, { kind: 'client', attributes }, async (span) => {
    const result = await makeRequest(input)
    if (result.kind === 'response') span.setAttribute('http.response.status_code', result.status)
    else failSpan(span, result.error)
    return result
  })
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

async function makeRequest(input: HttpRequest): Promise<HttpResult> {
  const deadline = AbortSignal.timeout(input.timeoutMs)
  const signal = input.signal ? AbortSignal.any([deadline, input.signal]) : deadline
  let socket: Socket | undefined
  let outgoing: http.ClientRequest
  try {
    const url = new URL(input.url)
    const opened = await openConnection(url, signal)
    socket = opened
    signal.throwIfAborted()
    outgoing = http.request({
      createConnection: () => opened,
      method: input.method,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...lengthOf(input.body), ...input.headers },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    })
  } catch (error) {
    socket?.destroy()
    return { kind: 'not_sent', error: asError(error) }
  }
  try {
    return { kind: 'response', ...(await exchange(outgoing, input)) }
  } catch (error) {
    return { kind: 'lost', error: asError(signal.aborted ? signal.reason : error) }
  } finally {
    socket.destroy()
  }
}

/** Writes the request and reads the whole answer. */
async function exchange(outgoing: http.ClientRequest, input: HttpRequest): Promise<HttpResponse> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(new Error('The connection was closed without an answer.')))
    send(outgoing, input.body, reject)
  })
  const text = await readText(response, input.maxBytes ?? MAX_BYTES)
  return { status: response.statusCode ?? 0, headers: flat(response.headers), text }
}

/** An answer may come before the whole body is sent; what is left of it is then given up with the connection. */
function send(
  outgoing: http.ClientRequest,
  body: HttpRequest['body'],
  onFailure: (error: Error) => void,
): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    outgoing.end(body)
  else pipeline(Readable.from(exactly(body)), outgoing, (error) => error && onFailure(error))
}

/** A body of another length than its head says would leave the server waiting, or be taken for the next request. */
async function* exactly({ length, chunks }: StreamedBody): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) break
    yield chunk
  }
  if (left !== 0) throw new Error(`The body is not the ${length} bytes that were announced.`)
}

async function readText(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes: Buffer = chunk
    size += bytes.length
    if (size > maxBytes) throw new Error(`The answer is longer than ${maxBytes} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function lengthOf(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined) return {}
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return { 'content-length': String(length) }
}

function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')])
  return Object.fromEntries(entries)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
