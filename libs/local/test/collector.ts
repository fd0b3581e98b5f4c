import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const Value = z.record(z.string(), z.unknown())
const Exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: Value })) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              links: z.array(z.object({ traceId: z.string() })).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})

export type CollectedSpan = {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string | undefined
  linkedTraces: string[]
}

export type Collector = AsyncDisposable & {
  url: string
  spans: () => CollectedSpan[]
  /** All that was received, as it was received. */
  text: () => string
}

/** A collector of spans that come as JSON over HTTP. One that hangs takes everything and never answers. */
export async function startCollector({ hangs = false } = {}): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      if (!hangs) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => bodies.flatMap((body) => read(body)),
    text: () => bodies.join('\n'),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function read(body: string): CollectedSpan[] {
  return Exported.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ links = [], ...span }) => ({
        ...span,
        service: String(name?.['stringValue']),
        linkedTraces: links.map(({ traceId }) => traceId),
      })),
    )
  })
}
