import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { hostOf, portOf } from './check-url.ts'
import { startDeadline } from './deadline.ts'
import { DownloadRefused, refusalOf } from './download-refused.ts'

/** A name may have thousands of addresses. */
const MAX_ATTEMPTS = 4

type Opening = {
  isAllowedAddress: (address: string) => boolean
  /** For all attempts to connect together, and again for the handshake of TLS. */
  connectMs: number
  signal: AbortSignal
}

/**
 * Opens a connection to one of the vetted addresses, for https with a certificate that is good for the host of the
 * URL. It is never used before and never used again.
 */
export async function openConnection(
  url: URL,
  addresses: readonly string[],
  opening: Opening,
): Promise<net.Socket> {
  const socket = await connectToFirst(addresses, portOf(url), opening)
  // The address was checked before; this is the address that the connection really has.
  if (!opening.isAllowedAddress(socket.remoteAddress ?? '')) {
    socket.destroy()
    throw new DownloadRefused('forbidden_address')
  }
  return url.protocol === 'https:' ? await startTls(socket, hostOf(url), opening) : socket
}

/** Each address gets its share of the time, so that one that never answers does not hide the next. */
async function connectToFirst(
  addresses: readonly string[],
  port: number,
  { connectMs, signal }: Opening,
): Promise<net.Socket> {
  const tried = addresses.slice(0, MAX_ATTEMPTS)
  const failures: unknown[] = []
  for (const host of tried) {
    using deadline = startDeadline(connectMs / tried.length, 'connect_deadline', signal)
    try {
      // The host is an IP address, for which Node looks nothing up.
      return await whenOpen(net.connect({ host, port }), 'connect', deadline.signal)
    } catch (error) {
      signal.throwIfAborted()
      failures.push(refusalOf(error, 'connect_failed', deadline.signal))
    }
  }
  throw failures.at(-1)
}

async function startTls(
  socket: net.Socket,
  host: string,
  { connectMs, signal }: Opening,
): Promise<net.Socket> {
  using deadline = startDeadline(connectMs, 'connect_deadline', signal)
  try {
    const secure = tls.connect({
      socket,
      host,
      ...(net.isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      // Said aloud, or an environment variable could switch it off.
      rejectUnauthorized: true,
    })
    return await whenOpen(secure, 'secureConnect', deadline.signal)
  } catch (error) {
    socket.destroy()
    throw refusalOf(error, 'tls_failed', deadline.signal)
  }
}

async function whenOpen(
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<net.Socket> {
  // Whoever uses the socket hears of its errors; this only keeps one that nobody waits for from ending the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
