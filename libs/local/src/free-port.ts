import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Below the ports that systems give to outgoing connections, one of which could take a port before its use. */
const FIRST = 20_000
const LAST = 32_000
const MAX_TRIES = 1_000

/**
 * Finds ports of 127.0.0.1 that are free at this moment, all different and at random, so that programs which look at the
 * same time rarely find the same. Nothing keeps them reserved, so whoever uses one must be ready for another program
 * to take it first.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>()
  try {
    for (let tries = 0; found.size < count; tries++) {
      if (tries === MAX_TRIES) throw new Error('There are no free ports.')
      const port = randomInt(FIRST, LAST)
      const server = await listen(port)
      if (server) found.set(port, server)
    }
    return [...found.keys()]
  } finally {
    await Promise.all([...found.values()].map(close))
  }
}

/** A listener, or nothing when the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
