import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { HTTP_STATUS, type ErrorEnvelope } from '@herald/contracts/errors'

const CLOSE_WITHIN_MS = 20_000

/** A listening HTTP server with limits on everything that a client can draw out. */
export async function listen(
  handler: RequestListener,
  options: { host: string; port: number; keepAliveSeconds: number },
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: options.keepAliveSeconds * 1000,
      maxHeaderSize: 16 * 1024,
    },
    handler,
  )
  server.on('clientError', refuse)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = isIPv6(options.host) ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}`, close: () => close(server) }
}

/** What Node's parser refuses gets the envelope as well. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = refusalOf(error.code)
  const body: ErrorEnvelope = { error: { code: 'validation_failed', message } }
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  )
}

function refusalOf(code: string | undefined): [status: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['431 Request Header Fields Too Large', 'The headers of the request are too large.']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['408 Request Timeout', 'The request took too long to arrive.']
  return [`${HTTP_STATUS.validation_failed} Unprocessable Content`, 'The request is not valid HTTP.']
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
  await closed
  clearTimeout(timer)
}
