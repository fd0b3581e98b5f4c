import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { failure, findAccount } from './manners.ts'
import { COLLECTION, postUri } from './post-uri.ts'
import type { Bluesky, Post } from './tables.ts'

const One = z.object({
  repo: z.string(),
  collection: z.string(),
  rkey: z.string(),
  cid: z.string().optional(),
})
const List = z.object({
  repo: z.string(),
  collection: z.string(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().optional(),
  reverse: z.enum(['true', 'false']).optional(),
})

/** com.atproto.repo.getRecord. */
export function getRecord(bluesky: Bluesky, { query }: Request): Answer {
  const parsed = One.safeParse(query)
  if (!parsed.success)
    return failure(400, 'InvalidRequest', 'Params must have repo, collection and rkey')
  const { repo, collection, rkey, cid } = parsed.data
  const account = findAccount(bluesky, repo)
  if (!account) return unknownRepo(repo)
  const post = collection === COLLECTION ? bluesky.posts.get(`${account.did}/${rkey}`) : undefined
  if (!post || (cid !== undefined && cid !== post.cid)) {
    const uri = `at://${account.did}/${collection}/${rkey}`
    return failure(400, 'RecordNotFound', `Could not locate record: ${uri}`)
  }
  return { status: 200, body: recordView(post) }
}

/** com.atproto.repo.listRecords: the greatest key first, unless reversed. */
export function listRecords(bluesky: Bluesky, { query }: Request): Answer {
  const parsed = List.safeParse(query)
  if (!parsed.success) return failure(400, 'InvalidRequest', 'Params must have repo and collection')
  const { repo, collection, limit, cursor, reverse } = parsed.data
  const account = findAccount(bluesky, repo)
  if (!account) return unknownRepo(repo)
  const direction = reverse === 'true' ? 1 : -1
  const found = bluesky.posts
    .all()
    .filter(({ did }) => did === account.did && collection === COLLECTION)
    .toSorted((one, other) => (one.rkey < other.rkey ? -direction : direction))
    .filter(({ rkey }) => cursor === undefined || (direction === 1 ? rkey > cursor : rkey < cursor))
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    status: 200,
    body: { records: page.map(recordView), ...(last && { cursor: last.rkey }) },
  }
}

/** com.atproto.identity.resolveHandle. */
export function resolveHandle(bluesky: Bluesky, { query }: Request): Answer {
  const account = bluesky.accounts.all().find(({ handle }) => handle === query.handle)
  if (!account) return failure(400, 'InvalidRequest', 'Unable to resolve handle')
  return { status: 200, body: { did: account.did } }
}

/** app.bsky.actor.getProfile. */
export function getProfile(bluesky: Bluesky, { query }: Request): Answer {
  const account = findAccount(bluesky, query.actor ?? '')
  if (!account) return failure(400, 'InvalidRequest', 'Profile not found')
  const { did, handle, createdAt } = account
  const postsCount = bluesky.posts.all().filter((post) => post.did === did).length
  return {
    status: 200,
    body: {
      did,
      handle,
      displayName: handle.split('.')[0],
      createdAt,
      indexedAt: createdAt,
      followersCount: 0,
      followsCount: 0,
      postsCount,
    },
  }
}

function recordView(post: Post) {
  return { uri: postUri(post), cid: post.cid, value: post.record }
}

function unknownRepo(repo: string): Answer {
  return failure(400, 'InvalidRequest', `Could not find repo: ${repo}`)
}
