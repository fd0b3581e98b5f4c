import { createHash, randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { type Account, accountKey } from '../../ledger.ts'
import type { Answer } from '../../respond.ts'
import { findAccount, type World } from '../../world.ts'
import { signJwt } from './accounts.ts'

const ACCESS_SECONDS = 7_200
const REFRESH_SECONDS = 90 * 86_400

type Token = { kind: 'access' | 'refresh'; account: string; until: number }

/** The tokens that are good. A refresh token is used up by its use. */
export type Sessions = Map<string, Token>

/** `com.atproto.server.createSession`. */
export function createSession(world: World, sessions: Sessions, body: unknown): Answer {
  const { identifier, password } = (body ?? {}) as Record<string, unknown>
  if (typeof identifier !== 'string' || typeof password !== 'string')
    return xrpcError(
      400,
      'InvalidRequest',
      'Input must have the properties "identifier" and "password"',
    )
  const account = findAccount(
    world,
    'BLUESKY',
    ({ id, username, secrets }) =>
      (identifier === username || identifier === id) && secrets.appPassword === password,
  )
  if (!account) return xrpcError(401, 'AuthenticationRequired', 'Invalid identifier or password')
  return openSession(world, sessions, account)
}

/** `com.atproto.server.refreshSession`: the refresh token works once and gives a new pair. */
export function refreshSession(world: World, sessions: Sessions, request: Request): Answer {
  const found = readToken(world, sessions, request, 'refresh')
  if ('status' in found) return found
  sessions.delete(found.jwt)
  return openSession(world, sessions, found.account)
}

/** The account whose access token a request carries, or the error that the server answers. */
export function authorize(world: World, sessions: Sessions, request: Request): Account | Answer {
  const found = readToken(world, sessions, request, 'access')
  return 'status' in found ? found : found.account
}

/** An error as XRPC answers it. */
export function xrpcError(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } }
}

/** What a session shows of its account. */
export function showSession({ id, username }: Account) {
  return {
    did: id,
    handle: username,
    email: `${username}@sandbox.test`,
    emailConfirmed: true,
    active: true,
  }
}

function openSession(world: World, sessions: Sessions, account: Account): Answer {
  const issue = (kind: Token['kind'], seconds: number) => {
    const until = world.now() + seconds * 1000
    const scope = kind === 'access' ? 'com.atproto.appPass' : 'com.atproto.refresh'
    const payload = { scope, sub: account.id, jti: randomUUID(), exp: Math.floor(until / 1000) }
    const jwt = signJwt(payload, signingKey(account))
    sessions.set(jwt, { kind, account: account.id, until })
    return jwt
  }
  return {
    status: 200,
    body: {
      ...showSession(account),
      accessJwt: issue('access', ACCESS_SECONDS),
      refreshJwt: issue('refresh', REFRESH_SECONDS),
    },
  }
}

function readToken(
  world: World,
  sessions: Sessions,
  request: Request,
  kind: Token['kind'],
): { jwt: string; account: Account } | Answer {
  const header = request.get('authorization')
  if (header === undefined) return xrpcError(401, 'AuthMissing', 'Authentication Required')
  const jwt = /^Bearer (.+)$/i.exec(header)?.[1] ?? ''
  const token = sessions.get(jwt)
  if (token?.kind !== kind) {
    // A well-formed token that is not known is one that was used up, or of a server's life before this one.
    const isJwt = jwt.split('.').length === 3
    return xrpcError(
      400,
      isJwt ? 'ExpiredToken' : 'InvalidToken',
      'Token has been revoked or is malformed',
    )
  }
  const isRevoked = world.ledger.revoked.has(accountKey('BLUESKY', token.account))
  if (isRevoked || token.until <= world.now())
    return xrpcError(400, 'ExpiredToken', 'Token has expired')
  const account = findAccount(world, 'BLUESKY', ({ id }) => id === token.account)
  return account ? { jwt, account } : xrpcError(400, 'InvalidToken', 'Bad token subject')
}

function signingKey({ secrets }: Account): Buffer {
  return createHash('sha256')
    .update(secrets.appPassword ?? '')
    .digest()
}
