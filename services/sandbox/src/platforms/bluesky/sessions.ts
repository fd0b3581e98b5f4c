import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { randomText } from '../../random-text.ts'
import { ACCESS, authenticate, authenticateRefresh, REFRESH } from './authenticate.ts'
import { peekInput, readInput } from './input.ts'
import { signJwt } from './jwt.ts'
import { refuse } from './refusals.ts'
import type { Server } from './server.ts'
import type { Account } from './state.ts'

const ACCESS_LASTS_S = 7200
const REFRESH_LASTS_S = 90 * 24 * 3600

const Login = z.object({ identifier: z.string(), password: z.string() })

/** `com.atproto.server.createSession`, with an app password. */
export function createSession(server: Server, call: Call): Answer {
  const { identifier, password } = readInput(call, Login)
  const account = findLogin(server, identifier)
  const found = [...server.state.passwords].find(
    ([, one]) => one.did === account?.did && one.password === password,
  )
  if (!account || !found) refuse(401, 'AuthenticationRequired', 'Invalid identifier or password')
  return jsonAnswer(200, { ...view(server, account), ...open(server, account, found[0]) })
}

/** `com.atproto.server.refreshSession`: two new tokens for a refresh token, which is used up. */
export function refreshSession(server: Server, call: Call): Answer {
  const { account, session } = authenticateRefresh(server, call)
  server.record({ type: 'refresh-used', refreshId: session.refreshId })
  return jsonAnswer(200, { ...view(server, account), ...open(server, account, session.passwordId) })
}

/** `com.atproto.server.getSession` */
export function getSession(server: Server, call: Call): Answer {
  const { account } = authenticate(server, call)
  return jsonAnswer(200, view(server, account))
}

/** `com.atproto.server.deleteSession`: ends the refresh token. The access token lives until it expires, as on the network. */
export function deleteSession(server: Server, call: Call): Answer {
  const { session } = authenticateRefresh(server, call)
  server.record({ type: 'refresh-used', refreshId: session.refreshId })
  return { status: 200, headers: {}, body: '' }
}

/** Who wants to log in, by the body alone. */
export function accountOfLogin(server: Server, call: Call): string | undefined {
  const { identifier = '' } = peekInput(call, Login) ?? {}
  return findLogin(server, identifier)?.did
}

/** By handle, DID or e-mail address. */
function findLogin(server: Server, identifier: string): Account | undefined {
  const accounts = [...server.state.accounts.values()]
  return (
    server.findAccount(identifier) ?? accounts.find((account) => emailOf(account) === identifier)
  )
}

function open(server: Server, account: Account, passwordId: string) {
  const { did } = account
  const session = { did, passwordId, accessId: randomText(16), refreshId: randomText(16) }
  server.record({ type: 'session-opened', session })
  const iat = Math.floor(server.now() / 1000)
  const sign = (scope: string, jti: string, lasts: number, typ: string) =>
    signJwt(
      { scope, sub: did, aud: `did:web:${server.domain()}`, jti, iat, exp: iat + lasts },
      typ,
      server.secret(),
    )
  return {
    accessJwt: sign(ACCESS, session.accessId, ACCESS_LASTS_S, 'at+jwt'),
    refreshJwt: sign(REFRESH, session.refreshId, REFRESH_LASTS_S, 'refresh+jwt'),
  }
}

function view(server: Server, account: Account) {
  const { did, handle } = account
  return {
    did,
    handle,
    email: emailOf(account),
    emailConfirmed: true,
    emailAuthFactor: false,
    active: true,
    didDoc: {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: did,
      alsoKnownAs: [`at://${handle}`],
      verificationMethod: [],
      service: [
        {
          id: '#atproto_pds',
          type: 'AtprotoPersonalDataServer',
          serviceEndpoint: server.baseUrl(),
        },
      ],
    },
  }
}

function emailOf({ handle }: Account): string {
  return `${handle.split('.')[0] ?? ''}@sandbox.test`
}
