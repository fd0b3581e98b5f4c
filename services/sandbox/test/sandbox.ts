import { z } from 'zod'
import { start } from '../src/start.ts'

const NewAccount = z.object({
  account: z.string(),
  baseUrl: z.string(),
  credentials: z.record(z.string(), z.string()),
})
export type NewAccount = z.infer<typeof NewAccount>

export type Ask = { token?: string; body?: unknown; headers?: Record<string, string> }
/** What an answer holds is for the expectations of each test to say. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any
export type Asked = { status: number; headers: Headers; body: Json }

export type TestSandbox = AsyncDisposable & Awaited<ReturnType<typeof startSandbox>>

/** A sandbox of one test, whose clock stands still unless it is told. */
export async function testSandbox(env: Record<string, string> = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(env)
  return { ...sandbox, [Symbol.asyncDispose]: sandbox.close }
}

async function startSandbox(env: Record<string, string>) {
  const began = Date.parse('2026-11-21T12:00:00.000Z')
  const { url, close } = await start({ LOG_LEVEL: 'silent', ...env }, { now: () => began })
  const ask = (method: string, path: string, options: Ask = {}) =>
    request(method, `${url}${path}`, options)
  const data = async (path: string) => (await ask('GET', path)).body.data
  return {
    url,
    close,
    ask,
    account: async (platform: string, username?: string) =>
      NewAccount.parse((await ask('POST', '/_/accounts', { body: { platform, username } })).body),
    /** The environment that leads Herald to a platform here. */
    settings: async (platform: string): Promise<Record<string, string>> =>
      (await data('/_/platforms')).find((one: Json) => one.platform === platform).settings,
    live: (query = '') => data(`/_/posts${query}`),
    requests: (query = '') => data(`/_/requests${query}`),
    uploads: (query = '') => data(`/_/uploads${query}`),
    fault: (body: Record<string, unknown>) => ask('POST', '/_/faults', { body }),
    advance: (advanceSeconds: number) => ask('POST', '/_/clock', { body: { advanceSeconds } }),
  }
}

export async function request(method: string, url: string, options: Ask): Promise<Asked> {
  const { token, body, headers } = options
  const isRaw = body instanceof FormData || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      body: isRaw ? (body as Uint8Array<ArrayBuffer> | FormData) : JSON.stringify(body),
    }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
