import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One call and its answer. Bodies that are not JSON are undefined. */
export type Exchange = {
  method: string
  path: string
  request: unknown
  status: number
  /** Without parameters. */
  responseType: string
  response: unknown
}

/** Passes calls on to a sandbox below `base` and keeps what both sides say. */
export async function recordingProxy(base: string) {
  const exchanges: Exchange[] = []
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url = '', headers } = incoming
    const body = await bytesOf(incoming)
    const answer = await fetch(`${base}${url}`, {
      method,
      redirect: 'manual',
      headers: Object.entries(headers)
        .filter(([name]) => name !== 'host' && name !== 'connection')
        .map(([name, value]) => [name, String(value)]),
      ...(body.length > 0 && { body }),
    })
    const text = await answer.text()
    exchanges.push({
      method,
      path: url.split('?')[0] ?? '',
      request: readJson(body.toString()),
      status: answer.status,
      responseType: answer.headers.get('content-type')?.split(';')[0] ?? '',
      response: readJson(text),
    })
    const shown = [...answer.headers].filter(([name]) => name !== 'content-length')
    outgoing.writeHead(answer.status, Object.fromEntries(shown))
    outgoing.end(text)
  }
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
