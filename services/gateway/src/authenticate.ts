import { AppError, unavailable } from '@herald/contracts/errors'
import type { accounts } from '@herald/contracts/accounts'
import type { Client } from '@herald/contracts/rpc'
import { digestOfKey, isWellFormedKey } from './api-key.ts'
import { brake } from './brake.ts'
import { keyCache } from './key-cache.ts'
import type { Middleware } from './locals.ts'
import { type Session, sessionOf } from './session.ts'

export type AuthenticateDeps = {
  accounts: Pick<Client<typeof accounts>, 'verifyKey'>
  /** Milliseconds since 1970. */
  now?: () => number
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
}

/** Who calls, and a cache of it that forgets revoked keys. */
export function authentication(deps: AuthenticateDeps) {
  const { accounts, now = Date.now, elapsed } = deps
  const sessions = keyCache<Session>({
    look: async (keyDigest) => sessionOf(await accounts.verifyKey({ keyDigest })),
    idOf: ({ keyId }) => keyId,
    isRefusal,
    ...(elapsed && { elapsed }),
  })

  const keys = brake({ ...(elapsed && { elapsed }) })

  const sessionFor = async (digest: string | undefined): Promise<Session> => {
    if (digest === undefined) throw unauthorized()
    const session = await lookUp(digest)
    // An answer may be older than the key's end. What is no number is never later than now.
    if (!(session.expiresAt > now())) throw unauthorized()
    return session
  }

  const lookUp = async (digest: string): Promise<Session> => {
    try {
      return await sessions.get(digest)
    } catch (error) {
      if (isRefusal(error)) throw unauthorized()
      // Whatever else goes wrong with the question, nobody is let in without an answer.
      throw error instanceof AppError && error.status === 503 ? error : unavailable(error)
    }
  }

  const authenticate: Middleware = ({ rawHeaders, ip = '' }, response, next) => {
    const authorization = authorizationOf(rawHeaders)
    const digest = digestIn(authorization)
    // Who shows no key guesses none.
    const waitMs = authorization === '' ? 0 : keys.waitOf(ip, digest)
    if (waitMs > 0) {
      response.setHeader('Retry-After', Math.ceil(waitMs / 1_000))
      return next(tooManyBadKeys(now() + waitMs))
    }
    sessionFor(digest).then(
      (session) => {
        if (digest !== undefined) keys.noteGood(digest)
        response.locals.session = session
        next()
      },
      (error: unknown) => {
        if (isRefusal(error)) {
          if (authorization !== '') keys.noteBad(ip, digest)
          response.setHeader('WWW-Authenticate', 'Bearer')
        }
        next(error)
      },
    )
  }

  return { authenticate, evict: sessions.evict, clear: sessions.clear }
}

/** An organization whose plan has no API access gets no further (specification, "Authentication"). */
export const requireApiAccess: Middleware = (_request, response, next) => {
  if (response.locals.session?.apiAccess) return next()
  throw new AppError('plan_required', 'The plan of this organization has no API access.')
}

/** Missing, malformed, unknown, expired and revoked keys are not told apart. */
function unauthorized(): AppError {
  return new AppError('unauthorized', 'A valid API key is needed: Authorization: Bearer <key>.')
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unauthorized'
}

function tooManyBadKeys(until: number): AppError {
  return new AppError('rate_limited', 'Too many keys from this address were not valid.', {
    details: { resetsAt: new Date(until).toISOString() },
  })
}

/** The values of all Authorization headers. Node's own `headers` would hide that there are two. */
function authorizationOf(rawHeaders: readonly string[]): string {
  return rawHeaders
    .filter(
      (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
    )
    .join(', ')
}

/** What stands for the key, if it can be one. No key has a comma in it, so two headers are no key. */
function digestIn(authorization: string): string | undefined {
  const key = /^bearer (.*)$/is.exec(authorization)?.[1]
  return key !== undefined && isWellFormedKey(key) ? digestOfKey(key) : undefined
}
