import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { signJwt } from './jwt.ts'
import { claimsOf, failure, findAccount, refusalOfToken } from './manners.ts'
import type { Bluesky, Session } from './tables.ts'

const ACCESS_SECONDS = 7200
const REFRESH_SECONDS = 90 * 86_400
const Login = z.object({ identifier: z.string(), password: z.string() })

/** com.atproto.server.createSession. */
export function createSession(bluesky: Bluesky, { body }: Request): Answer {
  const login = Login.safeParse(body)
  if (!login.success)
    return failure(400, 'InvalidRequest', 'Input must have identifier and password')
  const account = findAccount(bluesky, login.data.identifier)
  const password = bluesky.appPasswords.get(login.data.password)
  if (!account || password?.did !== account.did || password.revoked)
    return failure(401, 'AuthenticationRequired', 'Invalid identifier or password')
  return grant(bluesky, { id: newId(), did: account.did, refreshId: '', revoked: false })
}

/** com.atproto.server.refreshSession: the refresh token can be used once. */
export function refreshSession(bluesky: Bluesky, request: Request): Answer {
  const refused = refusalOfToken(bluesky, request, 'com.atproto.refresh')
  const session = bluesky.sessions.get(claimsOf(bluesky, request)?.sid ?? '')
  if (refused || !session)
    return refused ?? failure(400, 'InvalidToken', 'Token could not be verified')
  return grant(bluesky, session)
}

/** com.atproto.server.getSession. */
export function getSession(bluesky: Bluesky, did: string): Answer {
  return { status: 200, body: identityOf(bluesky, did) }
}

/** Logins and app passwords of the account end. */
export function revokeAll({ accounts, appPasswords, sessions }: Bluesky, did: string): boolean {
  if (!accounts.get(did)) return false
  for (const [password, row] of appPasswords.entries())
    if (row.did === did) appPasswords.put(password, { ...row, revoked: true })
  for (const session of sessions.all())
    if (session.did === did) sessions.put(session.id, { ...session, revoked: true })
  return true
}

/** New tokens of a session; the refresh token before them is used up. */
function grant(bluesky: Bluesky, session: Session): Answer {
  const { core, sessions, secret, url } = bluesky
  const iat = Math.floor(core.clock.now() / 1000)
  const refreshId = newId()
  sessions.put(session.id, { ...session, refreshId })
  const claims = { sub: session.did, aud: `did:web:${new URL(url).hostname}`, iat, sid: session.id }
  return {
    status: 200,
    body: {
      accessJwt: signJwt(
        { ...claims, scope: 'com.atproto.appPass', exp: iat + ACCESS_SECONDS, jti: newId() },
        secret(),
      ),
      refreshJwt: signJwt(
        { ...claims, scope: 'com.atproto.refresh', exp: iat + REFRESH_SECONDS, jti: refreshId },
        secret(),
      ),
      ...identityOf(bluesky, session.did),
    },
  }
}

function identityOf({ accounts, url }: Bluesky, did: string) {
  const handle = accounts.get(did)?.handle ?? 'handle.invalid'
  return {
    handle,
    did,
    didDoc: {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: did,
      alsoKnownAs: [`at://${handle}`],
      service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: url }],
    },
    email: `${handle.split('.')[0]}@example.com`,
    emailConfirmed: true,
    active: true,
  }
}

function newId(): string {
  return randomBytes(16).toString('base64url')
}
