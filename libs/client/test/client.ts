import { createHerald } from '../src/herald.ts'
import type { HeraldOptions } from '../src/connection.ts'
import { API_KEY, type Script, scriptedServer } from './scripted-server.ts'

/** A client of a scripted server that does not wait, but keeps how long it would have. */
export async function clientOf(script: Script, options: Partial<HeraldOptions> = {}) {
  const server = await scriptedServer(script)
  const waits: number[] = []
  const wait = async (ms: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    waits.push(ms)
  }
  const herald = createHerald({ apiKey: API_KEY, baseUrl: `${server.url}/v1`, wait, ...options })
  return {
    herald,
    waits,
    received: server.received,
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
