import { bearerOf, type Call } from '../../call.ts'
import { type Claims, verifyJwt } from './jwt.ts'
import { refuse } from './refusals.ts'
import type { Server } from './server.ts'
import type { Account, Session } from './state.ts'

export const ACCESS = 'com.atproto.appPass'
export const REFRESH = 'com.atproto.refresh'

export type Authenticated = { account: Account; session: Session }

/** A call with an access token that is good. */
export function authenticate(server: Server, call: Call): Authenticated {
  const { jti } = checkToken(server, call, ACCESS)
  const session = server.state.sessionsByAccess.get(jti)
  if (session?.isAccessExpired) refuse(400, 'ExpiredToken', 'Token has expired')
  return ofSession(server, session)
}

/** A call with a refresh token that was not used yet. */
export function authenticateRefresh(server: Server, call: Call): Authenticated {
  const { jti } = checkToken(server, call, REFRESH)
  const session = server.state.sessionsByRefresh.get(jti)
  if (session?.isRefreshUsed) refuse(400, 'ExpiredToken', 'Token has been revoked')
  return ofSession(server, session)
}

/** Whose token a call carries, be it good or not. */
export function sessionOf(server: Server, call: Call): Session | undefined {
  const claims = verifyJwt(bearerOf(call) ?? '', server.secret())
  if (!claims) return undefined
  const { sessionsByAccess, sessionsByRefresh } = server.state
  return sessionsByAccess.get(claims.jti) ?? sessionsByRefresh.get(claims.jti)
}

function checkToken(server: Server, call: Call, scope: string): Claims {
  const token = bearerOf(call)
  if (token === undefined) refuse(401, 'AuthMissing', 'Authentication Required')
  const claims = verifyJwt(token, server.secret())
  if (!claims) refuse(400, 'InvalidToken', 'Token could not be verified')
  if (claims.exp * 1000 <= server.now()) refuse(400, 'ExpiredToken', 'Token has expired')
  if (claims.scope !== scope) refuse(400, 'InvalidToken', 'Bad token scope')
  return claims
}

function ofSession(server: Server, session: Session | undefined): Authenticated {
  const account = server.state.accounts.get(session?.did ?? '')
  if (!session || !account) refuse(400, 'InvalidToken', 'Token could not be verified')
  if (!server.state.passwords.has(session.passwordId))
    refuse(400, 'ExpiredToken', 'Token has been revoked')
  return { account, session }
}
