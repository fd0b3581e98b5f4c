import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatch } from './rpc-dispatch.ts'
import { contextFrom } from './rpc-wire.ts'

export type InternalListener = { url: string; close: () => Promise<void> }

export type InternalListenerOptions = {
  host: string
  port: number
  secret: string
  dispatch: Dispatch | undefined
  /** What must be well for the service to take calls, by name. */
  checks: () => Promise<Record<string, boolean>>
}

const LARGEST_BODY = 8 * 1024 * 1024

/**
 * The listener inside the system: `GET /healthz` (the process lives), `GET /readyz` (it can work; 503 with what
 * cannot), and the direct road `POST /rpc/<operation>` for callers that know the secret.
 */
export async function startInternalListener(
  options: InternalListenerOptions,
): Promise<InternalListener> {
  const server = createServer((request, response) => {
    answer(request, options).then(
      ({ status, body }) => send(response, status, body),
      () => send(response, 400, { error: 'bad request' }),
    )
  })
  server.requestTimeout = 30_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://${options.host}:${port}`, close: () => closeServer(server) }
}

type Answer = { status: number; body: unknown }

async function answer(request: IncomingMessage, options: InternalListenerOptions): Promise<Answer> {
  const { method, url = '/' } = request
  if (method === 'GET' && url === '/healthz') return { status: 200, body: { status: 'ok' } }
  if (method === 'GET' && url === '/readyz') return readiness(options)
  const operation = /^\/rpc\/([A-Za-z]+)$/.exec(url)?.[1]
  if (method !== 'POST' || operation === undefined || !options.dispatch)
    return { status: 404, body: { error: 'not found' } }
  if (!hasSecret(request, options.secret)) return { status: 401, body: { error: 'unauthorized' } }
  const input: unknown = JSON.parse(await readBody(request))
  const context = contextFrom((name) => headerOf(request, name))
  return { status: 200, body: await options.dispatch(operation, input, context) }
}

async function readiness({ checks }: InternalListenerOptions): Promise<Answer> {
  const parts = await checks()
  const isReady = Object.values(parts).every(Boolean)
  return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'not ready', parts } }
}

function hasSecret(request: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${secret}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_BODY) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), 5_000)
  await closed
  clearTimeout(timer)
}
