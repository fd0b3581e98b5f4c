import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { prepareDrain } from './drain.ts'
import type { Logger } from './logger.ts'
import type { Dispatch } from './rpc-dispatch.ts'
import { contextFrom } from './rpc-wire.ts'

export type InternalListener = {
  url: string
  /** Lets clients go: every answer ends its connection. */
  drain: () => void
  close: () => Promise<void>
}

export type InternalListenerOptions = {
  host: string
  port: number
  secret: string
  logger: Logger
  /** Nothing for a service that answers no calls. */
  dispatch: Dispatch | undefined
  /** What must be well for the service to take calls, by name. */
  checks: () => Promise<Record<string, boolean>>
}

const LARGEST_BODY = 8 * 1024 * 1024
const CLOSE_WITHIN_MS = 5_000

/**
 * The listener inside the system: `GET /healthz` (the process lives), `GET /readyz` (it can work; 503 with what
 * cannot), and the direct road `POST /rpc/<operation>` for callers that know the secret.
 */
export async function startInternalListener(
  options: InternalListenerOptions,
): Promise<InternalListener> {
  const server = createServer((request, response) => void serve(request, response, options))
  server.requestTimeout = 30_000
  const drain = prepareDrain(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    url: urlOf(server, options.host),
    drain,
    close: () => closeServer(server),
  }
}

type Answer = { status: number; body: unknown }

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: InternalListenerOptions,
): Promise<void> {
  try {
    const { status, body } = await answer(request, options)
    // Written first, so that a value that is no JSON still gets an answer.
    const text = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  } catch (error) {
    options.logger.error({ error, path: request.url }, 'A direct call could not be answered.')
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}

async function answer(request: IncomingMessage, options: InternalListenerOptions): Promise<Answer> {
  const { method, url = '/' } = request
  if (method === 'GET' && url === '/healthz') return { status: 200, body: { status: 'ok' } }
  if (method === 'GET' && url === '/readyz') return readiness(options)
  const operation = /^\/rpc\/([A-Za-z]+)$/.exec(url)?.[1]
  if (method !== 'POST' || operation === undefined || !options.dispatch)
    return { status: 404, body: { error: 'not found' } }
  if (!hasSecret(request, options.secret)) return { status: 401, body: { error: 'unauthorized' } }
  const body = await readBody(request)
  if (body === undefined) return { status: 413, body: { error: 'too large' } }
  const input = parseJson(body)
  if (!input) return { status: 400, body: { error: 'not JSON' } }
  const context = contextFrom((name) => headerOf(request, name))
  return { status: 200, body: await options.dispatch(operation, input.value, context) }
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

/** Reads to the end even what is too large, or the caller would see a reset instead of the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= LARGEST_BODY) chunks.push(chunk)
  }
  return size <= LARGEST_BODY ? Buffer.concat(chunks).toString() : undefined
}

/** An empty body is an absent input, as it is over NATS. */
function parseJson(text: string): { value: unknown } | undefined {
  if (text === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
  await closed
  clearTimeout(timer)
}
