import { ErrorEnvelope } from '@herald/contracts/errors'
import type { Post } from '@herald/contracts/posts'
import { expectDocumented } from '@herald/testing/openapi-check'
import { expect, test as base } from 'vitest'
import { captureOutput, type CapturedOutput } from './captured-output.ts'
import { type StoredEvents, storedEvents } from './stored-events.ts'
import { testWorld, type World } from './world.ts'

export type Send = { key?: string; body?: unknown; headers?: Record<string, string> }
export type Answer = { status: number; text: string; headers: Headers; requestId: string }

/** A world that notes what is logged and stored, to be asked by callers who mean no good. */
export type HostileWorld = World & {
  output: CapturedOutput
  events: StoredEvents
  ask: (method: string, path: string, send?: Send) => Promise<Answer>
  /** Asks, and expects a refusal in the exact envelope that has changed nothing and alarms nobody. */
  refuse: (
    status: number,
    code: string,
    method: string,
    path: string,
    send?: Send,
  ) => Promise<ErrorEnvelope['error']>
  /** Creates a post that is due in a year, and expects 201. */
  plan: (body?: Record<string, unknown>) => Promise<Post>
}

const YEAR_MS = 365 * 24 * 3_600_000
/** A publish time at which nothing of a test is left. */
export const inAYear = () => new Date(Date.now() + YEAR_MS).toISOString()

async function hostileWorld(): Promise<HostileWorld & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const output = stack.use(captureOutput())
  const world = stack.use(await testWorld({ env: { LOG_LEVEL: 'error' } }))
  const events = stack.use(await storedEvents(world))
  const ask: HostileWorld['ask'] = (method, path, send) => askApi(world, method, path, send)
  const moved = stack.move()
  let count = 0
  return {
    ...world,
    output,
    events,
    ask,
    async refuse(status, code, method, path, send) {
      const answer = await ask(method, path, send)
      expect({ status: answer.status, text: answer.text }).toEqual({
        status,
        text: expect.stringContaining(`{"error":{"code":"${code}","message":"`),
      })
      // Other events may come at any moment: what is published or described goes on by itself.
      expect(await events.causedBy([answer.requestId])).toEqual([])
      return ErrorEnvelope.parse(JSON.parse(answer.text)).error
    },
    plan: (body = {}) =>
      world.create({
        content: `Planned ${count++}`,
        channelIds: [world.mastodon.id],
        publishAt: inAYear(),
        ...body,
      }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Asks the API as one of its callers, and throws unless its document describes the answer. */
export async function askApi(
  { apiUrl, apiKey }: Pick<World, 'apiUrl' | 'apiKey'>,
  method: string,
  path: string,
  { key = apiKey, body, headers = {} }: Send = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(`${apiUrl}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as BodyInit }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  const { status } = response
  const copy = new Response(status === 204 || status === 304 ? null : text, response)
  await expectDocumented(method, `/v1${path}`, copy)
  return {
    status,
    text,
    headers: response.headers,
    requestId: response.headers.get('x-request-id')!,
  }
}

/** Tests of one file share a world. When it ends, nothing may have been logged that asks for a person. */
export const test = base.extend<{ world: HostileWorld }>({
  world: [
    async ({}, use) => {
      let output: CapturedOutput
      {
        await using world = await hostileWorld()
        output = world.output
        await use(world)
      }
      expect(output.lines()).toEqual([])
    },
    { scope: 'file' },
  ],
})
