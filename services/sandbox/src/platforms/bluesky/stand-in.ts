import { randomBytes } from 'node:crypto'
import type { Call } from '../../call.ts'
import { freeUsername } from '../../free-username.ts'
import { randomText } from '../../random-text.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { sessionOf } from './authenticate.ts'
import { blobUrl, mediaOf } from './blobs.ts'
import { HANDLE_DOMAIN } from './identity.ts'
import { openMeter, rateLimited } from './meter.ts'
import { blueskyOperations } from './operations.ts'
import { postUrl } from './post-page.ts'
import { errorAnswer } from './refusals.ts'
import { openServer, type Server } from './server.ts'
import { type Entry, POSTS, textOf, uriOf } from './state.ts'

export const bluesky: StandInEntry = {
  platform: 'BLUESKY',
  name: 'Bluesky',
  path: 'bluesky',
  open: openBluesky,
}

/** A stand-in of one personal data server and of the app that shows its posts. */
function openBluesky(world: World): StandIn {
  const server = openServer(world)
  return {
    operations: blueskyOperations(server),
    accountOf: (call) => sessionOf(server, call)?.did,
    meter: openMeter(world),
    broken: () => errorAnswer(500, 'InternalServerError', 'Internal Server Error'),
    rateLimited: () => rateLimited(world),
    expireAccess: (call) => expireAccess(server, call),
    tooLarge: () => errorAnswer(413, 'PayloadTooLarge', 'request entity too large'),
    notFound: (path) =>
      path.startsWith('/xrpc/')
        ? errorAnswer(501, 'MethodNotImplemented', 'Method Not Implemented')
        : errorAnswer(404, 'NotFound', 'Not Found'),
    createAccount: (username) => createAccount(server, username),
    accounts: () =>
      [...server.state.accounts.values()].map(({ did, handle }) => ({
        account: did,
        username: handle,
      })),
    revoke: (did) => server.record({ type: 'passwords-revoked', did }),
    live: () => {
      const posts = [...server.state.records.values()].filter(isPost)
      return posts.map((entry) => liveOf(server, entry))
    },
  }
}

/** The access token of the call is over for good; its refresh token still works. */
function expireAccess(server: Server, call: Call) {
  const session = sessionOf(server, call)
  if (session) server.record({ type: 'access-expired', accessId: session.accessId })
  return errorAnswer(400, 'ExpiredToken', 'Token has expired')
}

function createAccount(server: Server, given: string | undefined): NewAccount {
  const taken = [...server.state.accounts.values()].map(({ handle }) => handle.split('.')[0] ?? '')
  const handle = `${given ?? freeUsername(taken)}${HANDLE_DOMAIN}`
  const existing = server.findAccount(handle)
  const createdAt = new Date(server.now()).toISOString()
  const account = existing ?? { did: newDid(), handle, createdAt }
  if (!existing) server.record({ type: 'account-made', account })
  const password = newAppPassword()
  const passwordId = randomText(16)
  server.record({ type: 'password-made', did: account.did, passwordId, password })
  return { account: account.did, credentials: { identifier: handle, appPassword: password } }
}

function newDid(): string {
  return `did:plc:${letters(24)}`
}

/** `xxxx-xxxx-xxxx-xxxx` */
function newAppPassword(): string {
  return [letters(4), letters(4), letters(4), letters(4)].join('-')
}

function letters(count: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  return [...randomBytes(count)].map((byte) => alphabet[byte % alphabet.length] ?? '').join('')
}

function isPost({ collection }: Entry): boolean {
  return collection === POSTS
}

function liveOf(server: Server, entry: Entry): LivePost {
  return {
    account: entry.did,
    id: uriOf(entry),
    url: postUrl(server, entry),
    text: textOf(entry),
    media: mediaOf(server, entry.did, entry.value).map((blob) => ({
      mimeType: blob.mimeType,
      sizeBytes: blob.sizeBytes,
      sha256: blob.sha256,
      width: blob.width,
      height: blob.height,
      altText: blob.alt,
      url: blobUrl(server, blob),
    })),
    at: entry.at,
  }
}
