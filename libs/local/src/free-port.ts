import { createServer, type Server } from 'node:net'

/**
 * Finds ports of 127.0.0.1 that are free at this moment, all different. Nothing keeps them reserved, so whoever
 * uses one must be ready for another program to take it first.
 */
export async function freePorts(count: number): Promise<number[]> {
  // All listeners are open at once, otherwise the system may hand out the same port twice.
  const listeners = await Promise.all(Array.from({ length: count }, listen))
  const ports = listeners.map(portOf)
  await Promise.all(listeners.map(close))
  return ports
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.')
  return address.port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
