import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { prepareDrain } from '@herald/service/drain'

export type FilesListener = {
  url: string
  /** Lets clients go: every answer ends its connection. */
  drain: () => void
  close: () => Promise<void>
}

export type ServeFilesOptions = {
  host: string
  port: number
  /** How long a reader or sender may take for the head of its request. Bodies have deadlines of their own. */
  headWithinMs?: number
  /** A connection on which nothing moves for this long ends: somebody asked for a file and does not read it. */
  idleMs?: number
  mostConnections?: number
}

const CLOSE_WITHIN_MS = 10_000

/** Listens for those who fetch and send files, on an origin of its own. */
export async function serveFiles(
  app: RequestListener,
  {
    host,
    port,
    headWithinMs = 10_000,
    idleMs = 60_000,
    mostConnections = 2_000,
  }: ServeFilesOptions,
): Promise<FilesListener> {
  const server = createServer(
    {
      headersTimeout: headWithinMs,
      // An upload of the largest file may take as long as its window.
      requestTimeout: 0,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: headWithinMs / 5,
    },
    app,
  )
  const drain = prepareDrain(server)
  server.timeout = idleMs
  server.maxConnections = mostConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host}:${bound}`,
    drain,
    close: () =>
      new Promise((resolve) => {
        const late = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
        server.close(() => {
          clearTimeout(late)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
