import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type HttpRequest = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  /** 20 s unless given. */
  timeoutMs?: number
  signal?: AbortSignal
}

/**
 * What became of a request. `not_sent`: not one byte of it was written, so it certainly did nothing. `lost`: it may
 * have arrived, and no whole answer came back.
 */
export type HttpResult =
  | { kind: 'response'; status: number; headers: IncomingMessage['headers']; text: string }
  | { kind: 'not_sent'; message: string }
  | { kind: 'lost'; message: string }

const LARGEST_ANSWER = 1024 * 1024
const TIMEOUT_MS = 20_000

/**
 * Makes one HTTP request on a connection of its own. A kept connection that the server has just closed would leave it
 * unclear whether the request was read; a new one makes it plain: before it stands, nothing was sent. Redirects are
 * not followed, and an answer over 1 MB is lost.
 */
export function request(options: HttpRequest): Promise<HttpResult> {
  return new Promise((resolve) => {
    let isConnected = false
    const fail = (error: Error) =>
      resolve({ kind: isConnected ? 'lost' : 'not_sent', message: error.message })
    const url = new URL(options.url)
    const isSecure = url.protocol === 'https:'
    const deadline = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
    const sent: ClientRequest = (isSecure ? httpsRequest : httpRequest)(url, {
      method: options.method,
      agent: false,
      headers: { connection: 'close', 'user-agent': 'Herald', ...withLength(options) },
    })
    const abort = () => sent.destroy(new Error('The platform did not answer in time.'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    sent.on('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true))
    })
    sent.on('response', (response) => {
      read(response).then((text) => {
        resolve({ kind: 'response', status: response.statusCode ?? 0, headers: response.headers, text })
      }, fail)
    })
    sent.on('error', fail)
    sent.on('close', () => signal.removeEventListener('abort', abort))
    sent.end(options.body)
  })
}

/** The body as JSON; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withLength({ headers = {}, body }: HttpRequest): Record<string, string> {
  return body === undefined
    ? headers
    : { ...headers, 'content-length': String(Buffer.byteLength(body)) }
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_ANSWER) {
      response.destroy()
      throw new Error('The answer is too large.')
    }
    chunks.push(chunk)
  }
  if (!response.complete) throw new Error('The answer broke off.')
  return Buffer.concat(chunks).toString()
}
