import { z } from 'zod'
import { ask } from '../ask.ts'
import { Secret } from '../credentials.ts'
import { ConnectError, type FreshToken, type HttpDeps, type TokenInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { readXrpcError } from './errors.ts'
import { query, procedure } from './xrpc.ts'

const NAME = 'The Bluesky server'
/** A token that expires sooner than this is renewed before it is used, unless the caller says otherwise. */
const MARGIN_MS = 60_000

const Session = z.object({
  did: z.string().regex(/^did:[a-z]+:.+$/),
  handle: z.string().min(1),
  accessJwt: Secret,
  refreshJwt: Secret,
})
type Session = z.infer<typeof Session>

const Secrets = Session.pick({ did: true, accessJwt: true, refreshJwt: true })
  .partial()
  .extend({ identifier: z.string(), appPassword: z.string() })
type Secrets = z.infer<typeof Secrets>

/** What a refused login says about the account or the password. Other codes say nothing about them. */
const REFUSED_LOGIN = new Map([
  ['AuthenticationRequired', 'Bluesky does not accept this handle and app password.'],
  [
    'AuthFactorTokenRequired',
    'Bluesky asks for a sign-in code. Use an app password instead of the account password.',
  ],
  ['AccountTakedown', 'Bluesky has suspended this account.'],
  ['AccountSuspended', 'Bluesky has suspended this account.'],
])

const Profile = z.object({ displayName: z.string().optional(), avatar: z.string().optional() })

/**
 * A usable access token: the stored one while it lasts, else a new one by the refresh token, which can be used once,
 * else by a new login with the app password. Only the refusal of that login is the end.
 */
export async function freshToken(
  input: Omit<TokenInput, 'settings'>,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const { baseUrl, now, deadToken, aheadMs = MARGIN_MS } = input
  const parsed = Secrets.safeParse(input.secrets)
  if (!parsed.success)
    throw new ConnectError(
      'refused',
      'The stored login is not complete. Connect the channel again.',
    )
  const secrets = parsed.data
  const { accessJwt } = secrets
  if (accessJwt && accessJwt !== deadToken) {
    const expiresAt = expiryOf(accessJwt)
    if (expiresAt === null || expiresAt - now > aheadMs) return { token: accessJwt, expiresAt }
  }
  const session =
    (await refresh(baseUrl, secrets, deps)) ?? (await logInAgain(baseUrl, secrets, deps))
  return {
    token: session.accessJwt,
    secrets: secretsOf(session, secrets),
    expiresAt: expiryOf(session.accessJwt),
  }
}

/**
 * Logs in with an app password. What the server says neither for nor against the login counts as `otherwise`: someone
 * who connects an account has given a wrong address, while a stored login is not lost by it.
 */
export async function createSession(
  baseUrl: string,
  { identifier, appPassword }: { identifier: string; appPassword: string },
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Session> {
  const call = procedure(baseUrl, 'com.atproto.server.createSession', {
    identifier,
    password: appPassword,
  })
  const { status, text } = await ask(NAME, call, deps)
  if (status === 200) return readSession(text, otherwise)
  const { code, message } = readXrpcError(text)
  const refusal = REFUSED_LOGIN.get(code ?? '')
  if (refusal !== undefined) throw new ConnectError('refused', refusal)
  const said = oneLine(message || code || `status ${status}`)
  throw new ConnectError(otherwise, `There is no Bluesky login at this address: ${said}.`)
}

/** What is stored of a session. */
export function secretsOf(
  { did, accessJwt, refreshJwt }: Session,
  { identifier, appPassword }: { identifier: string; appPassword: string },
): Record<string, string> {
  return { identifier, appPassword, did, accessJwt, refreshJwt }
}

/** The account's public profile. Nothing depends on it, so an account without one has an empty one. */
export async function readProfile(baseUrl: string, { did, accessJwt }: Session, deps?: HttpDeps) {
  const call = query(baseUrl, 'app.bsky.actor.getProfile', { actor: did }, accessJwt)
  const answer = await ask(NAME, call, deps).catch(() => undefined)
  const profile = answer?.status === 200 ? readJson(Profile, answer.text) : undefined
  return profile ?? {}
}

/** A new session by the refresh token, or undefined when that is used up, expired or revoked. */
async function refresh(
  baseUrl: string,
  { did, refreshJwt }: Secrets,
  deps?: HttpDeps,
): Promise<Session | undefined> {
  if (!refreshJwt) return undefined
  const call = procedure(baseUrl, 'com.atproto.server.refreshSession', undefined, refreshJwt)
  const { status, text } = await ask(NAME, call, deps)
  if (status !== 200) return undefined
  const session = readSession(text, 'unavailable')
  return did === undefined || session.did === did ? session : undefined
}

async function logInAgain(baseUrl: string, secrets: Secrets, deps?: HttpDeps): Promise<Session> {
  const session = await createSession(baseUrl, secrets, 'unavailable', deps)
  if (secrets.did !== undefined && session.did !== secrets.did)
    throw new ConnectError(
      'refused',
      `${secrets.identifier} is another account now. Connect the channel again.`,
    )
  return session
}

function readSession(text: string, otherwise: ConnectError['kind']): Session {
  const session = readJson(Session, text)
  if (!session) throw new ConnectError(otherwise, `${NAME} gave an unreadable answer.`)
  return session
}

/** When a token expires by its own word, in milliseconds since 1970; null when it does not say. */
export function expiryOf(jwt: string): number | null {
  const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')
  const exp = readJson(z.object({ exp: z.number().positive() }), payload)?.exp
  return exp === undefined ? null : exp * 1000
}
