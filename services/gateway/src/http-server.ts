import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { prepareDrain } from '@herald/service/drain'
import { answerBrokenHttp } from './broken-http.ts'

export type HttpServerOptions = {
  host: string
  /** 0 is any free port. */
  port: number
  keepAliveTimeoutMs: number
  /** 0 is no limit. */
  maxRequestsPerSocket: number
  /** One connection more is closed at once, without an answer. */
  maxConnections?: number
  /** How long the headers, and the whole request, may take to arrive. */
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  /** How often the two are looked at. */
  checkEveryMs?: number
  /** How long closing waits for answers that are under way. */
  closeWithinMs?: number
}

const MAX_HEADER_BYTES = 16 * 1024
const CLOSE_IDLE_EVERY_MS = 50

/** Listens. Everything that a slow or greedy client can hold on to has a limit. */
export async function listen(app: RequestListener, options: HttpServerOptions) {
  const { host, port, closeWithinMs = 20_000 } = options
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    connectionsCheckingInterval: options.checkEveryMs ?? 2_000,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node would refuse without a body; the app refuses with the envelope.
    requireHostHeader: false,
  })
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  answerBrokenHttp(server)
  const drain = prepareDrain(server)
  server.on('request', limitRequests(app, options.maxRequestsPerSocket))
  server.listen(port, host)
  await once(server, 'listening')
  return { url: urlOf(server, host), drain, close: () => close(server, closeWithinMs) }
}

/**
 * Closes a connection behind its last request. Node's own limit would keep it open until it is idle, and answer what
 * was sent behind the last request with a bare 503; here that is neither carried out nor answered, as HTTP wants it.
 */
function limitRequests(app: RequestListener, max: number): RequestListener {
  if (max === 0) return app
  const counts = new WeakMap<Socket, number>()
  return (request, response) => {
    const count = (counts.get(request.socket) ?? 0) + 1
    counts.set(request.socket, count)
    if (count > max) return
    if (count === max) response.setHeader('Connection', 'close')
    app(request, response)
  }
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`
}

/** Takes no more requests, lets those under way finish, and ends what is left after the time given. */
async function close(server: Server, withinMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Connections become idle one by one, as their answers go out.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs)
  await closed
  clearInterval(idle)
  clearTimeout(deadline)
}
