import { AppError, unavailable } from '@herald/contracts/errors'
import type { accounts } from '@herald/contracts/accounts'
import type { Client } from '@herald/contracts/rpc'
import { digestOfKey, isWellFormedKey } from './api-key.ts'
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

  const sessionFor = async (rawHeaders: readonly string[]): Promise<Session> => {
    const key = keyFrom(rawHeaders)
    if (key === undefined) throw unauthorized()
    const session = await lookUp(key)
    // An answer may be older than the key's end. What is no number is never later than now.
    if (!(session.expiresAt > now())) throw unauthorized()
    return session
  }

  const lookUp = async (key: string): Promise<Session> => {
    try {
      return await sessions.get(digestOfKey(key))
    } catch (error) {
      if (isRefusal(error)) throw unauthorized()
      // Whatever else goes wrong with the question, nobody is let in without an answer.
      throw error instanceof AppError && error.status === 503 ? error : unavailable(error)
    }
  }

  const authenticate: Middleware = (request, response, next) => {
    sessionFor(request.rawHeaders).then(
      (session) => {
        response.locals.session = session
        next()
      },
      (error: unknown) => {
        if (isRefusal(error)) response.setHeader('WWW-Authenticate', 'Bearer')
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

/** The key of the only Authorization header. Node's own `headers` would hide that there are two. */
function keyFrom(rawHeaders: readonly string[]): string | undefined {
  let value: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue
    if (value !== undefined) return undefined
    value = rawHeaders[index + 1]
  }
  const key = value === undefined ? undefined : /^bearer (.*)$/is.exec(value)?.[1]
  return key !== undefined && isWellFormedKey(key) ? key : undefined
}
