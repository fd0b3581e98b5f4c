import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Script = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP server that does what the test says with every request, and remembers which came. */
export async function scriptedServer(script: Script) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`)
    request.on('error', () => {})
    response.on('error', () => {})
    script(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer in the way of S3. */
export function s3Error(status: number, code: string): Script {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`)
  }
}
