import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ErrorEnvelope } from '@herald/contracts/errors'
import { type Route, ROUTES } from '@herald/contracts/http'
import type { Media } from '@herald/contracts/media'
import { PostOptions } from '@herald/contracts/post-options'
import type { Post } from '@herald/contracts/posts'
import { expectDocumented } from '@herald/testing/openapi-check'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { captureOutput } from './captured-output.ts'
import { arbitraryOf } from './generator-arbitrary.ts'
import { type HostileRequest, type Known, requestsOf } from './generator-requests.ts'
import { askApi } from './hostile-world.ts'
import { neighbourOf, type Neighbour } from './neighbour.ts'
import { uploadPicture } from './small-picture.ts'
import { storedEvents } from './stored-events.ts'
import { testWorld, type World } from './world.ts'

/** `HERALD_SEED` repeats a run; `HERALD_CASES` makes it longer or shorter. */
const SEED = Number(process.env.HERALD_SEED ?? Date.now() % 2 ** 31)
const CASES = Number(process.env.HERALD_CASES ?? 2_000)
const AT_ONCE = 16
const BATCH = 250
const YEAR_MS = 365 * 24 * 3_600_000

/** How far a good request gets where it does not succeed: there is no file to import, and no post has failed. */
const FARTHEST: Record<string, number> = { importMedia: 422, retryPost: 409 }

type Asked = HostileRequest & { status: number; text: string; headers: Headers }

describe('what the generator calls good', () => {
  test.each(Object.entries(ROUTES))('is taken by the schemas of %s', (_name, route: Route) => {
    for (const schema of [route.body, route.query].filter((one) => one !== undefined))
      for (const value of fc.sample(arbitraryOf(schema), { numRuns: 200, seed: SEED }))
        expect(schema.safeParse(value)).toMatchObject({ success: true })
  })
})

test(`no request with one thing wrong gets more than a refusal (seed ${SEED})`, async () => {
  using output = captureOutput()
  await using stack = new AsyncDisposableStack()
  const env = {
    LOG_LEVEL: 'error',
    MAX_STORED_BYTES: String(2 ** 52),
    // A connection that the server closes between two requests would look like a request without an answer.
    KEEP_ALIVE_TIMEOUT_MS: '600000',
    MAX_REQUESTS_PER_SOCKET: '0',
  }
  const world = stack.use(await testWorld({ env }))
  const events = stack.use(await storedEvents(world))
  const neighbour = await neighbourOf(world)
  const known = await knownTo(world, neighbour, await nothingToImport(stack))
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  stack.defer(() => agent.destroy())
  const statuses: Record<string, Record<number, number>> = {}
  // What deletes comes last, so that the others find something.
  const routes = Object.entries<Route>(ROUTES).toSorted(
    ([, one], [, other]) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  )
  for (const [name, route] of routes) {
    const cases = fc.sample(requestsOf(route, known), { numRuns: CASES, seed: SEED })
    const counts: Record<number, number> = (statuses[name] = {})
    for (let from = 0; from < cases.length; from += BATCH) {
      const batch = cases.slice(from, from + BATCH)
      const asked = await inParallel(batch, (one) => ask(world, agent, one))
      const flaws = await Promise.all(asked.map((one) => flawsOf(one, neighbour)))
      expect(flaws.flat()).toEqual([])
      for (const { status } of asked) counts[status] = (counts[status] ?? 0) + 1
      const refused = asked.filter(({ status }) => status >= 300)
      const ids = refused.map(({ headers }) => headers.get('x-request-id')!)
      expect(await events.causedBy(ids)).toEqual([])
    }
  }
  // A generator whose requests were all refused at the door would prove nothing.
  const unreached = routes.filter(
    ([name, { status }]) => statuses[name]?.[FARTHEST[name] ?? status] === undefined,
  )
  expect(unreached.map(([name]) => name)).toEqual([])
  expect(output.lines()).toEqual([])
}, 900_000)

/** Ids that exist, and values that no schema can tell to be good. */
async function knownTo(world: World, neighbour: Neighbour, importUrl: string): Promise<Known> {
  const publishAt = new Date(Date.now() + YEAR_MS).toISOString()
  const channelIds = [world.mastodon.id]
  const posts = await inParallel(
    Array.from({ length: 60 }, (_, index) => ({ content: `Post ${index}`, channelIds, publishAt })),
    async (body) => {
      const { text } = await askApi(world, 'POST', '/posts', { body })
      return (JSON.parse(text) as Post).id
    },
  )
  const media: string[] = []
  for (let index = 0; index < 4; index++) media.push((await uploadPicture(world)).id)
  const pending = await inParallel(Array.from({ length: 20 }), async () => {
    const body = { fileName: 'a.png', mimeType: 'image/png', fileSize: 10 }
    const { text } = await askApi(world, 'POST', '/media/uploads', { body })
    return (JSON.parse(text) as { media: Media }).media.id
  })
  const channels = [[world.mastodon.id], [world.mastodon.id, world.bluesky.id]]
  return {
    ids: { posts, media: [...media, ...pending], channels: channels.flat() },
    foreignIds: [...neighbour.ids, ...Object.values(neighbour.cursors)],
    // Options of platforms that no channel is on are refused.
    rareFields: Object.keys(PostOptions.shape).filter((name) => name !== 'mastodon'),
    hints: {
      channelIds: fc.constantFrom(...channels),
      mediaIds: fc.constantFrom([], [], [], media.slice(0, 1)),
      publishAt: fc.constant(publishAt),
      platformContent: fc.constant({ MASTODON: 'Of its own' }),
      url: fc.constant(importUrl),
      cursor: undefined,
    },
  }
}

/** A server on this machine at which there is never a file: nothing is imported, and nobody else is asked. */
async function nothingToImport(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture.png`
}

async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>) {
  const results: Out[] = []
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** Sends the path as it stands, which `fetch` would tidy up first. */
function ask({ apiUrl, apiKey }: World, agent: Agent, one: HostileRequest): Promise<Asked> {
  const { hostname, port } = new URL(apiUrl)
  const { method, path, body } = one
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  }
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path: `/v1${path}`, headers, timeout: 30_000 }
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          ...one,
          status: response.statusCode!,
          text: Buffer.concat(chunks).toString(),
          headers: new Headers(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
        }),
      )
    })
    sent.on('timeout', () => sent.destroy(new Error('No answer within 30 s.')))
    sent.on('error', (error) =>
      reject(new Error(`${method} ${path.slice(0, 200)} (${one.what})`, { cause: error })),
    )
    sent.end(body)
  })
}

/** What is wrong with an answer: a failure of the server, another envelope, not as documented, a word of others. */
async function flawsOf(asked: Asked, { canary }: Neighbour): Promise<string[]> {
  const { method, path, what, body = '', status, text, headers } = asked
  const flaws: string[] = []
  if (status >= 500) flaws.push('a failure of the server')
  if (status >= 300 && !ErrorEnvelope.safeParse(parsed(text)).success) flaws.push('no envelope')
  if (`${text}${JSON.stringify([...headers])}`.includes(canary)) flaws.push('a word of others')
  const response = new Response(text, { status, headers })
  await expectDocumented(method, `/v1${path.replace(/\?.*/, '')}`, response).catch(
    (error: unknown) => void flaws.push(String(error)),
  )
  const told = [
    `${method} ${path.slice(0, 300)}`,
    what,
    body.slice(0, 500),
    status,
    text.slice(0, 500),
  ]
  return flaws.map((flaw) => [flaw, ...told].join('\n'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
