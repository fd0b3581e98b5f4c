import { BlueskyOptions } from '@herald/contracts/posts'
import { z } from 'zod'
import { askPlatform, isSuccess } from '../call.ts'
import { jsonOf, request } from '../http.ts'
import {
  type CommitOutcome,
  ConnectError,
  type Connector,
  type LookUpOutcome,
  type PrepareOutcome,
  type Published,
  type PublishInput,
} from '../platform.ts'
import { refusalOf, XrpcError } from './errors.ts'
import { facetsOf, mentionedHandles } from './facets.ts'
import { recordKey } from './rkey.ts'
import { createSession, freshToken, secretsOf } from './session.ts'

const COLLECTION = 'app.bsky.feed.post'
const Profile = z.object({ displayName: z.string().optional(), avatar: z.string().optional() })
const Created = z.object({ uri: z.string() })
const Record_ = z.object({ value: z.object({ createdAt: z.iso.datetime({ offset: true }) }) })
const Step = z.object({ dids: z.record(z.string(), z.string()).default({}) })

/**
 * Bluesky, or any server of the AT Protocol. Credentials: `{ identifier, appPassword }`. The record key is chosen by
 * Herald, so a look-up by it is proof, and a repeat could not make a second post.
 */
export const blueskyConnector: Connector = {
  settles: 'deterministicId',

  async identify({ baseUrl, credentials }) {
    const { identifier, appPassword } = credentials
    if (!identifier || !appPassword)
      throw new ConnectError('refused', 'Bluesky needs an identifier and an appPassword.')
    const session = await createSession(baseUrl, identifier, appPassword)
    const profile = await readProfile(baseUrl, session.did, session.accessJwt)
    return {
      account: session.did,
      username: session.handle,
      name: profile.displayName || session.handle,
      avatarUrl: profile.avatar ?? null,
      rules: {},
      secrets: secretsOf(session, { identifier, appPassword }),
    }
  },

  freshToken,
  prepare,
  commit,
  lookUp,
}

/** A profile is decoration: an account without a readable one can be connected all the same. */
async function readProfile(baseUrl: string, did: string, token: string) {
  return askPlatform(
    {
      method: 'GET',
      url: `${baseUrl}/xrpc/app.bsky.actor.getProfile?actor=${encodeURIComponent(did)}`,
      headers: { authorization: `Bearer ${token}` },
    },
    Profile,
    () => false,
  ).catch((): z.infer<typeof Profile> => ({}))
}

/** Finds the accounts that are mentioned. A handle that cannot be resolved stays plain text. */
async function prepare(input: PublishInput): Promise<PrepareOutcome> {
  const found = await Promise.all(
    mentionedHandles(input.text).map(async (handle) => {
      const result = await request({
        method: 'GET',
        url: `${input.baseUrl}/xrpc/com.atproto.identity.resolveHandle?handle=${encodeURIComponent(handle)}`,
        signal: input.signal,
      })
      const body = result.kind === 'response' ? jsonOf(result.text) : undefined
      const did = z.object({ did: z.string() }).safeParse(body).data?.did
      return did === undefined ? [] : [[handle, did] as const]
    }),
  )
  return { outcome: 'ready', step: { dids: Object.fromEntries(found.flat()) } }
}

async function commit(
  input: PublishInput & { step: Record<string, unknown> },
): Promise<CommitOutcome> {
  const rkey = recordKey(input.rkeyTime, input.idempotencyKey)
  const result = await request({
    method: 'POST',
    url: `${input.baseUrl}/xrpc/com.atproto.repo.createRecord`,
    headers: { authorization: `Bearer ${input.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      repo: input.account,
      collection: COLLECTION,
      rkey,
      record: toRecord(input),
    }),
    signal: input.signal,
  })
  if (result.kind === 'not_sent')
    return { outcome: 'transient', message: `Bluesky cannot be reached: ${result.message}` }
  if (result.kind === 'lost') return { outcome: 'unknown', message: result.message }
  if (!isSuccess(result)) {
    const refusal = refusalOf(result, Date.now())
    return refusal ?? { outcome: 'unknown', message: `Bluesky answered ${result.status}.` }
  }
  const created = Created.safeParse(jsonOf(result.text))
  if (!created.success || !created.data.uri.endsWith(`/${rkey}`))
    return { outcome: 'unknown', message: 'Bluesky answered unreadably.' }
  return { outcome: 'published', ...toPublished(input, rkey, new Date().toISOString()) }
}

function toRecord(input: PublishInput & { step: Record<string, unknown> }) {
  const { languages } = BlueskyOptions.parse(input.options)
  const facets = facetsOf(input.text, Step.parse(input.step).dids)
  return {
    $type: COLLECTION,
    text: input.text,
    createdAt: input.createdAt,
    ...(languages && { langs: languages }),
    ...(facets.length > 0 && { facets }),
  }
}

async function lookUp(input: PublishInput): Promise<LookUpOutcome> {
  const rkey = recordKey(input.rkeyTime, input.idempotencyKey)
  const query = new URLSearchParams({ repo: input.account, collection: COLLECTION, rkey })
  const result = await request({
    method: 'GET',
    url: `${input.baseUrl}/xrpc/com.atproto.repo.getRecord?${query}`,
    signal: input.signal,
  })
  if (result.kind !== 'response') return { cannotTell: result.message }
  const body = jsonOf(result.text)
  if (XrpcError.safeParse(body).data?.error === 'RecordNotFound') return { absent: true }
  const record = isSuccess(result) ? Record_.safeParse(body) : undefined
  if (!record?.success) return { cannotTell: `Bluesky answered ${result.status}.` }
  const publishedAt = new Date(record.data.value.createdAt).toISOString()
  return { found: toPublished(input, rkey, publishedAt) }
}

function toPublished(input: PublishInput, rkey: string, publishedAt: string): Published {
  return {
    platformPostId: `at://${input.account}/${COLLECTION}/${rkey}`,
    url: `${webAddress(input.baseUrl)}/profile/${input.username}/post/${rkey}`,
    publishedAt,
  }
}

/**
 * Where people read what a server holds. All servers of the network are read at bsky.app; a server on this machine or
 * under a path, such as the sandbox, is no part of the network and shows its posts itself.
 */
function webAddress(baseUrl: string): string {
  const { hostname, pathname } = new URL(baseUrl)
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname) || pathname.length > 1
  return isLocal ? baseUrl : 'https://bsky.app'
}
