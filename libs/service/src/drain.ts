import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Prepares an HTTP server for its end, before it answers anything, and answers how to begin it: from then on every answer
 * ends its connection, so that clients open new ones, which lead elsewhere. Else a kept connection would be closed at any
 * moment, maybe just when a request is on its way.
 */
export function prepareDrain(server: Server): () => void {
  let isBegun = false
  server.prependListener('request', (_request, response) => {
    if (isBegun) response.setHeader('Connection', 'close')
  })
  return () => void (isBegun = true)
}

/** Waits until those who lead requests to this process have seen that it is not ready any more. */
export async function drainFor(seconds = 0): Promise<void> {
  if (seconds > 0) await sleep(seconds * 1000)
}
