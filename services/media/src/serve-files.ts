import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FilesListener = { url: string; close: () => Promise<void> }

/** How long a reader or sender may take for the head of its request. Bodies have deadlines of their own. */
const HEAD_WITHIN_MS = 10_000
const CLOSE_WITHIN_MS = 10_000
const MOST_CONNECTIONS = 2_000

/** Listens for those who fetch and send files, on an origin of its own. */
export async function serveFiles(
  app: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<FilesListener> {
  const server = createServer(
    {
      headersTimeout: HEAD_WITHIN_MS,
      // An upload of the largest file may take as long as its window.
      requestTimeout: 0,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 2_000,
    },
    app,
  )
  server.maxConnections = MOST_CONNECTIONS
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
