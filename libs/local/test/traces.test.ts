import { once } from 'node:events'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { type CollectedSpan, startCollector } from './collector.ts'
import { testWorld } from './world.ts'

const SLOW = { timeoutMs: 60_000, intervalMs: 200 }
const PATIENT = { timeout: 240_000 }
const PROCESSES = { posts: 1, publisher: 1 }
const FOREIGN_TRACE = 'abcdefabcdefabcdefabcdefabcdefab'

const traced = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '200',
})

test(
  'a scheduled post is one trace from the request to the event of its end',
  PATIENT,
  async () => {
    await using collector = await startCollector()
    await using world = await testWorld({
      processes: PROCESSES,
      gatewayProcess: true,
      envOf: () => traced(collector.url),
    })
    const content = 'canary-text-5d1e'
    const response = await fetch(`${world.apiUrl}/v1/posts?canary=canary-query-77`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${FOREIGN_TRACE}-abcdefabcdefabcd-01`,
        baggage: 'canary=canary-baggage-31',
      },
      body: JSON.stringify({
        content,
        channelIds: [world.mastodon.id],
        publishAt: new Date(Date.now() + 2_000).toISOString(),
      }),
    })
    expect(response.status).toBe(201)
    const { id } = (await response.json()) as { id: string }
    await eventually(async () => expect((await world.get(id)).status).toBe('published'), SLOW)

    const requestSpan = () =>
      collector
        .spans()
        .find(({ name, linkedTraces }) => name === 'POST /v1/posts' && linkedTraces.length === 1)
    const ofPost = () =>
      collector.spans().filter(({ traceId }) => traceId === requestSpan()?.traceId)
    const expected: [string, RegExp][] = [
      ['gateway', /^POST \/v1\/posts$/],
      ['gateway', /^posts\.create$/],
      ['posts', /^posts\.create$/],
      ['posts', /^append post$/],
      ['posts', /^pg\.query/],
      ['posts', /^publish posts$/],
      ['publisher', /^handle publisher$/],
      ['publisher', /^attempt$/],
      ['publisher', /^platform POST$/],
      ['publisher', /^report$/],
      ['posts', /^posts\.recordChannelResult$/],
    ]
    await eventually(() => {
      const seen = ofPost()
      const missing = expected.filter(
        ([service, name]) => !seen.some((span) => span.service === service && name.test(span.name)),
      )
      expect(missing).toEqual([])
      // The request, the start of publishing and its end were told to others.
      const publishes = seen.filter(({ name }) => name === 'publish posts')
      expect(publishes.length).toBeGreaterThanOrEqual(3)
      expect(orphans(seen)).toEqual([])
    }, SLOW)
    // The trace of the client is pointed to and not joined.
    expect(requestSpan()?.linkedTraces).toEqual([FOREIGN_TRACE])
    expect(collector.spans().map(({ traceId }) => traceId)).not.toContain(FOREIGN_TRACE)

    const secrets = [content, 'canary-query', 'canary-baggage', world.apiKey, 'Bearer ']
    for (const secret of secrets) expect(collector.text()).not.toContain(secret)
  },
)

/** Spans whose parent is not in the trace. */
function orphans(spans: CollectedSpan[]): CollectedSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  return spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))
}

test.each([
  ['is not there', false],
  ['takes everything and never answers', true],
])(
  'a collector that %s costs neither answers nor the end of a process',
  PATIENT,
  async (_, hangs) => {
    await using collector = await startCollector({ hangs: true })
    await using world = await testWorld({
      processes: { posts: 0 },
      envOf: () => traced(hangs ? collector.url : 'http://127.0.0.1:9'),
    })
    const posts = world.spawn('posts')
    const channelIds = [world.mastodon.id]
    const create = () => world.create({ content: `Post ${crypto.randomUUID()}`, channelIds })
    const post = await eventually(create, SLOW)
    await Promise.all(Array.from({ length: 50 }, create))
    await eventually(async () => expect((await world.get(post.id)).status).toBe('published'), SLOW)
    const ended = once(posts, 'exit')
    posts.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)
