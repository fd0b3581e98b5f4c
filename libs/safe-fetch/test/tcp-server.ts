import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * A raw TCP server that does with each connection what the test says. It counts connections and keeps what it received.
 * Without a host it listens on all addresses of the machine.
 */
export async function tcpServer(
  onConnection: (socket: Socket) => void,
  { host, port = 0 }: { host?: string; port?: number } = {},
) {
  const sockets = new Set<Socket>()
  const seen = { connections: 0, received: '' }
  const server = createServer((socket) => {
    seen.connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => (seen.received += chunk.toString('latin1')))
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  server.listen({ port, host })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    /** Connections that are open now. */
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export type TcpServer = Awaited<ReturnType<typeof tcpServer>>

/** Calls back with the path once the head of a request has arrived. */
export function onRequest(socket: Socket, then: (path: string) => void): void {
  let head = ''
  const listen = (chunk: Buffer) => {
    head += chunk.toString('latin1')
    if (!head.includes('\r\n\r\n')) return
    socket.off('data', listen)
    then(head.split(' ')[1] ?? '')
  }
  socket.on('data', listen)
}

/** A server that answers each request with a text, as it is, and closes the connection. */
export function answering(
  answer: (path: string) => string,
  options: { host?: string; port?: number } = {},
) {
  return tcpServer((socket) => onRequest(socket, (path) => socket.end(answer(path))), options)
}

export const FILE = 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 4\r\n\r\nfile'
