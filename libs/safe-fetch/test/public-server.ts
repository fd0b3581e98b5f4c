import type { Socket } from 'node:net'
import { isTestPublic } from './outcome.ts'
import { onRequest, tcpServer } from './tcp-server.ts'

/** How a good answer begins. */
export const OK = 'HTTP/1.1 200 OK\r\n'

/** A public server that does with each request what the test says, and how to ask it. */
export async function serving(onEach: (socket: Socket) => void) {
  const server = await tcpServer((socket) => onRequest(socket, () => onEach(socket)), {
    host: '127.0.0.1',
  })
  const url = `http://127.0.0.1:${server.port}/file.png`
  const options = { ports: [server.port], isAllowedAddress: isTestPublic, maxBytes: 100_000 }
  return { ...server, url, options }
}

/** Writes the same text for as long as the other side takes it. */
export function pour(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', more)
  more()
}
