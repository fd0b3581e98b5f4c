import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { start } from '../src/start.ts'

/** What a server said; tests read the JSON without a schema. */
export type Reply = {
  status: number
  body: ReturnType<typeof JSON.parse>
  text: string
  headers: Headers
}
type Options = { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal }

/** A folder of its own, gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A sandbox on a free port, closed after the test. */
export async function startSandbox(env: Record<string, string> = {}) {
  const { url, close } = await start({ LOG_LEVEL: 'silent', ...env })
  let closing: Promise<void> | undefined
  const closeOnce = () => (closing ??= close())
  onTestFinished(closeOnce)

  async function ask(method: string, path: string, options: Options = {}): Promise<Reply> {
    const { body, headers, signal = AbortSignal.timeout(20_000) } = options
    const isJson = body !== undefined && !(body instanceof FormData) && !ArrayBuffer.isView(body)
    const isForm = body instanceof URLSearchParams
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(isJson && !isForm && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        body: (isJson && !isForm ? JSON.stringify(body) : body) as string,
      }),
      signal,
    })
    const text = await response.text()
    return { status: response.status, text, body: jsonOf(text), headers: response.headers }
  }
  const control = async (path: string, body: unknown) =>
    (await ask('POST', `/_${path}`, { body })).body

  return {
    url,
    close: closeOnce,
    ask,
    control,
    live: async (query = '') => (await ask('GET', `/_/posts${query}`)).body.data,
    requests: async (query = '') => (await ask('GET', `/_/requests${query}`)).body.data,
    advance: (advanceSeconds: number) => control('/clock', { advanceSeconds }),
    mastodon: async (username?: string) => {
      const made = await control('/accounts', {
        platform: 'MASTODON',
        ...(username && { username }),
      })
      return { ...made, headers: { authorization: `Bearer ${made.credentials.accessToken}` } }
    },
    bluesky: async (username?: string) => {
      const made = await control('/accounts', {
        platform: 'BLUESKY',
        ...(username && { username }),
      })
      const { identifier, appPassword: password } = made.credentials
      const login = () =>
        ask('POST', '/bluesky/xrpc/com.atproto.server.createSession', {
          body: { identifier, password },
        })
      const { body } = await login()
      return {
        ...made,
        login,
        session: body,
        headers: { authorization: `Bearer ${body.accessJwt}` },
      }
    },
  }
}
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Posts a status. */
export function toot(
  sandbox: Sandbox,
  account: { headers: Record<string, string> },
  body: unknown,
  key?: string,
) {
  const headers = { ...account.headers, ...(key && { 'idempotency-key': key }) }
  return sandbox.ask('POST', '/mastodon/api/v1/statuses', { body, headers })
}

/** Creates a post record. */
export function skeet(
  sandbox: Sandbox,
  { account, headers }: { account: string; headers: Record<string, string> },
  record: Record<string, unknown>,
  { rkey, method = 'createRecord' }: { rkey?: string; method?: string } = {},
) {
  const $type = 'app.bsky.feed.post'
  const body = {
    repo: account,
    collection: $type,
    ...(rkey && { rkey }),
    record: { $type, createdAt: '2026-05-01T10:00:00.000Z', ...record },
  }
  return sandbox.ask('POST', `/bluesky/xrpc/com.atproto.repo.${method}`, { body, headers })
}

/** A PNG of this size in pixels, filled up to a number of bytes. */
export function png(width: number, height: number, bytes = 100): Buffer {
  const file = Buffer.alloc(bytes)
  file.write('\x89PNG\r\n\x1a\n', 0, 'latin1')
  file.write('IHDR', 12, 'latin1')
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  return file
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
