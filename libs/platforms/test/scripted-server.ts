import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
}
export type Answer = { status?: number; headers?: Record<string, string>; body?: unknown }
/** Answers a request, or takes the response into its own hands and answers nothing. */
export type Script = (request: Received, response: ServerResponse) => Answer | undefined

/** An HTTP server that answers what its script says and keeps what it received. */
export async function scriptedServer(script: Script) {
  const received: Received[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', 'http://server')
      const request = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(request)
      const answer = script(request, response)
      if (!answer) return
      response.writeHead(answer.status ?? 200, { ...answer.headers })
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The address of a port on which nobody listens. */
export async function closedPort(): Promise<string> {
  const server = await scriptedServer(() => ({}))
  await server[Symbol.asyncDispose]()
  return server.url
}
