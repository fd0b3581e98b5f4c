import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A Mastodon instance and a Bluesky server at one address, as much of them as connecting and renewing needs. */
export type FakePlatform = AsyncDisposable & {
  url: string
  /** The last part of every path that was called, in order. */
  calls: string[]
  /** Answers 503 to everything. */
  isDown: boolean
  /** Answers wait for it. */
  gate: Promise<void>
  /** Access tokens of Mastodon and the accounts they belong to. */
  tokens: Map<string, string>
  /** App passwords of Bluesky by handle. */
  passwords: Map<string, string>
  /** Refresh tokens of Bluesky that were not used yet, and their handles. */
  refreshTokens: Map<string, string>
  /** How long a new access token of Bluesky is good for. */
  lifetimeMs: number
  /** What Mastodon tells as its longest text. */
  maxCharacters: number
}

type Answer = { status: number; body: unknown }

const HOUR_MS = 3_600_000

/** Starts it on a free port. */
export async function fakePlatform(): Promise<FakePlatform> {
  const server = createServer((request, response) => {
    void respond(fake, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakePlatform = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    isDown: false,
    gate: Promise.resolve(),
    tokens: new Map(),
    passwords: new Map(),
    refreshTokens: new Map(),
    lifetimeMs: 2 * HOUR_MS,
    maxCharacters: 4_321,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

async function respond(fake: FakePlatform, request: IncomingMessage): Promise<Answer> {
  const { refreshTokens } = fake
  const call = new URL(request.url ?? '/', 'http://fake').pathname.split('/').at(-1) ?? ''
  const bearer = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const body = await text(request)
  fake.calls.push(call)
  await fake.gate
  if (fake.isDown) return { status: 503, body: {} }
  switch (call) {
    case 'verify_credentials':
      return accountOf(fake.tokens.get(bearer))
    case 'instance':
      return ok({ configuration: { statuses: { max_characters: fake.maxCharacters } } })
    case 'com.atproto.server.createSession': {
      const { identifier, password } = JSON.parse(body) as { identifier: string; password: string }
      return fake.passwords.get(identifier) === password
        ? ok(newSession(fake, identifier))
        : refused('AuthenticationRequired')
    }
    case 'com.atproto.server.refreshSession': {
      const handle = refreshTokens.get(bearer)
      refreshTokens.delete(bearer)
      return handle === undefined ? refused('ExpiredToken') : ok(newSession(fake, handle))
    }
    default:
      return { status: 404, body: {} }
  }
}

function accountOf(username: string | undefined): Answer {
  if (username === undefined) return { status: 401, body: { error: 'The access token is invalid' } }
  const avatar = `https://social.example/${username}.png`
  return ok({ id: `id-of-${username}`, username, display_name: `${username} of Mastodon`, avatar })
}

let sessions = 0

function newSession({ lifetimeMs, refreshTokens }: FakePlatform, handle: string) {
  sessions += 1
  const exp = Math.floor((Date.now() + lifetimeMs) / 1000)
  const payload = Buffer.from(JSON.stringify({ exp, jti: sessions })).toString('base64url')
  const refreshJwt = `refresh-${sessions}-of-${handle}`
  refreshTokens.set(refreshJwt, handle)
  return { did: `did:plc:${handle}`, handle, accessJwt: `head.${payload}.signature`, refreshJwt }
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function refused(error: string): Answer {
  return { status: 401, body: { error, message: 'No.' } }
}
