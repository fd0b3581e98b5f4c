import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate } from './authenticate.ts'
import { readParams } from './input.ts'
import { refuseInput } from './refusals.ts'
import type { Server } from './server.ts'
import { POSTS, uriOf } from './state.ts'

export const HANDLE_DOMAIN = '.sandbox.test'

/** `com.atproto.identity.resolveHandle` */
export function resolveHandle(server: Server, call: Call): Answer {
  const { handle } = readParams(call, z.object({ handle: z.string() }))
  const account = handle.startsWith('did:') ? undefined : server.findAccount(handle)
  return account ? jsonAnswer(200, { did: account.did }) : refuseInput('Unable to resolve handle')
}

/** `app.bsky.actor.getProfile` */
export function getProfile(server: Server, call: Call): Answer {
  authenticate(server, call)
  const { actor } = readParams(call, z.object({ actor: z.string() }))
  const account = server.findAccount(actor)
  if (!account) refuseInput('Profile not found')
  const { did, handle, createdAt } = account
  const records = [...server.state.records.values()]
  const posts = records.filter((entry) => entry.did === did && entry.collection === POSTS)
  const profile = server.state.records.get(
    uriOf({ did, collection: 'app.bsky.actor.profile', rkey: 'self' }),
  )
  const { displayName, description } = profile?.value ?? {}
  return jsonAnswer(200, {
    did,
    handle,
    displayName,
    description,
    createdAt,
    indexedAt: createdAt,
    labels: [],
    followersCount: 0,
    followsCount: 0,
    postsCount: posts.length,
  })
}

/** `com.atproto.server.describeServer` */
export function describeServer(server: Server): Answer {
  return jsonAnswer(200, {
    did: `did:web:${server.domain()}`,
    availableUserDomains: [HANDLE_DOMAIN],
    inviteCodeRequired: true,
    phoneVerificationRequired: false,
    links: {},
    contact: {},
  })
}
