import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'

/**
 * Opens a connection to the host of an address and waits until it can carry a request: for https until the
 * handshake is done and the certificate is accepted. As long as it has not answered, not a byte of a request exists.
 */
export async function openConnection(url: URL, signal: AbortSignal): Promise<net.Socket> {
  signal.throwIfAborted()
  const socket = connect(url)
  // Whoever uses the socket hears of its errors; this only keeps one that nobody waits for from ending the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, url.protocol === 'https:' ? 'secureConnect' : 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  }
}

function connect({ protocol, hostname, port }: URL): net.Socket {
  const host = hostname.replace(/^\[|\]$/g, '') // IPv6
  switch (protocol) {
    case 'http:':
      return net.connect({ host, port: Number(port || 80), noDelay: true })
    case 'https:':
      return tls
        .connect({
          host,
          port: Number(port || 443),
          ALPNProtocols: ['http/1.1'],
          ...(net.isIP(host) === 0 && { servername: host }),
        })
        .setNoDelay()
    default:
      throw new TypeError(`${protocol} is neither http: nor https:`)
  }
}
