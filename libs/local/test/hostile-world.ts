import { type ErrorCode, ErrorEnvelope } from '@herald/contracts/errors'
import type { Post } from '@herald/contracts/posts'
import { expectDocumented } from '@herald/testing/openapi-check'
import { expect } from 'vitest'
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

/** Asks, and expects a refusal in the exact envelope that has changed nothing. */
export async function expectRefusal(
  { ask, events }: Pick<HostileWorld, 'ask' | 'events'>,
  status: number,
  code: ErrorCode,
  method: string,
  path: string,
  send?: Send,
): Promise<ErrorEnvelope['error']> {
  const answer = await ask(method, path, send)
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringContaining(`{"error":{"code":"${code}","message":"`),
  })
  // Other events may come at any moment: what is published or described goes on by itself.
  expect(await events.causedBy([answer.requestId])).toEqual([])
  return ErrorEnvelope.parse(JSON.parse(answer.text)).error
}

/** Asks the API as one of its callers, and throws unless its document describes the answer. */
export async function askApi(
  { apiUrl, apiKey }: Pick<World, 'apiUrl' | 'apiKey'>,
  method: string,
  path: string,
  { key = apiKey, body, headers = {} }: Send = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string'
  const response = await fetch(`${apiUrl}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
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

/** Gives a world to the tests of one file. When they end, nothing may have been logged that asks for a person. */
export async function withHostileWorld(use: (world: HostileWorld) => Promise<void>): Promise<void> {
  let output: CapturedOutput
  {
    await using world = await hostileWorld()
    output = world.output
    await use(world)
  }
  const [line] = output.lines()
  if (line) throw new Error(`This was logged: ${JSON.stringify(line)}`)
}
