import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const API_KEY = 'herald_live_0123456789012345678901234567890123456789abcdef'

export type Received = {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON; undefined when there is none. */
  json: unknown
}
export type Answer = { status?: number; headers?: Record<string, string>; body?: unknown }
/** Answers a request, or takes the response into its own hands and answers nothing. */
export type Script = (request: Received, response: ServerResponse) => Answer | undefined

/** An HTTP server that answers what its script says and keeps what it received. */
export async function scriptedServer(script: Script) {
  const received: Received[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('error', () => undefined)
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://server')
      const text = Buffer.concat(chunks).toString()
      const isJson = incoming.headers['content-type'] === 'application/json'
      const request = {
        method: incoming.method ?? '',
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: incoming.headers,
        text,
        json: isJson ? (JSON.parse(text) as unknown) : undefined,
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

/** Answers one after the other; the last one again and again. */
export function inTurn(...scripts: (Answer | Script)[]): Script {
  let at = 0
  return (request, response) => {
    const script = scripts[Math.min(at, scripts.length - 1)] ?? {}
    at += 1
    return typeof script === 'function' ? script(request, response) : script
  }
}

/** An error envelope. */
export function refusal(status: number, code: string, details?: Record<string, unknown>): Answer {
  const error = { code, message: `It is ${code}.`, ...(details && { details }) }
  return { status, headers: { 'x-request-id': 'req-1' }, body: { error } }
}

/** Cuts the connection without an answer. */
export const cut: Script = (_, response) => void response.destroy()

/** Begins an answer and cuts the connection. */
export const cutMidway: Script = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"id":', () => response.destroy())
  return undefined
}

/** Never answers. */
export const silent: Script = () => undefined

/** Never answers, and has the caller end the call. */
export function endBy(ending: AbortController): Script {
  return () => {
    ending.abort(new Error('Enough.'))
    return undefined
  }
}
