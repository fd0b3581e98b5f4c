import type { Request } from 'express'
import { z } from 'zod'
import type { Account, LivePost } from '../../ledger.ts'
import type { Answer } from '../../respond.ts'
import { nowIso, type World } from '../../world.ts'
import { contentId } from './accounts.ts'
import { checkPost } from './post-lexicon.ts'
import { xrpcError } from './sessions.ts'

const COLLECTION = 'app.bsky.feed.post'
const RKEY = /^[A-Za-z0-9_~.:-]{1,512}$/
const TID_ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'

const Write = z.object({
  repo: z.string(),
  collection: z.string(),
  rkey: z.string().optional(),
  record: z.unknown(),
})

/** `createRecord` and `putRecord`. A record key that exists makes a create fail as the real server does. */
export function writeRecord(
  world: World,
  account: Account,
  body: unknown,
  kind: 'create' | 'put',
): { answer: Answer; applied: boolean } {
  const parsed = Write.safeParse(body)
  if (!parsed.success) return refused(xrpcError(400, 'InvalidRequest', 'Input is not valid'))
  const { repo, collection, rkey = makeTid(world.now()), record } = parsed.data
  if (repo !== account.id && repo !== account.username)
    return refused(xrpcError(400, 'InvalidRequest', 'Could not find repo'))
  if (collection !== COLLECTION)
    return refused(xrpcError(400, 'InvalidRequest', `Lexicon not found: ${collection}`))
  if (!RKEY.test(rkey) || rkey === '.' || rkey === '..')
    return refused(xrpcError(400, 'InvalidRequest', 'record key syntax is not valid at $.rkey'))
  const checked = checkPost(record, account.id, (cid) => world.ledger.media.get(cid))
  if ('error' in checked) return refused(xrpcError(400, checked.error, checked.message))
  const existing = findRecord(world, account.id, rkey)
  if (existing)
    return refused(
      kind === 'create'
        ? xrpcError(500, 'InternalServerError', 'Internal Server Error')
        : { status: 200, body: written(account, existing) },
    )
  const post: LivePost = {
    platform: 'BLUESKY',
    account: account.id,
    id: uriOf(account.id, rkey),
    url: `${world.url()}/bluesky/profile/${account.username}/post/${rkey}`,
    text: checked.record.text,
    media: checked.media,
    at: nowIso(world),
    record: checked.record,
  }
  world.ledger.write({ kind: 'post', post })
  return { answer: { status: 200, body: written(account, post) }, applied: true }
}

/** `getRecord`. */
export function getRecord(world: World, { query }: Request): Answer {
  const { repo, collection, rkey } = query
  const post = findRecord(world, didOf(world, repo), String(rkey))
  if (!post || collection !== COLLECTION)
    return xrpcError(
      400,
      'RecordNotFound',
      `Could not locate record: at://${String(repo)}/${String(collection)}/${String(rkey)}`,
    )
  return { status: 200, body: shown(post) }
}

/** `listRecords`: newest first unless `reverse`. */
export function listRecords(world: World, { query }: Request): Answer {
  const limit = Math.min(Math.max(Number(query.limit ?? 50) || 50, 1), 100)
  const did = didOf(world, query.repo)
  const all = world.ledger.posts
    .filter((post) => post.platform === 'BLUESKY' && post.account === did)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
  const ordered = query.reverse === 'true' ? all.toReversed() : all
  const from = ordered.findIndex(({ id }) => id.endsWith(`/${String(query.cursor)}`)) + 1
  const page = ordered.slice(from, from + limit)
  const last = page.at(-1)
  const cursor = from + limit < ordered.length ? { cursor: last?.id.split('/').at(-1) } : {}
  return { status: 200, body: { records: page.map(shown), ...cursor } }
}

function didOf({ ledger }: World, repo: unknown): string {
  const account = ledger.accounts.find(({ id, username }) => id === repo || username === repo)
  return account?.id ?? ''
}

function findRecord({ ledger }: World, did: string, rkey: string): LivePost | undefined {
  return ledger.posts.find(({ id }) => id === uriOf(did, rkey))
}

function uriOf(did: string, rkey: string): string {
  return `at://${did}/${COLLECTION}/${rkey}`
}

function shown({ id, record }: LivePost) {
  return { uri: id, cid: contentId(JSON.stringify(record), 0x71), value: record }
}

function written({ id: did }: Account, post: LivePost) {
  const { uri, cid } = shown(post)
  const commit = { cid: contentId(`${did}${uri}`, 0x71), rev: uri.split('/').at(-1) }
  return { uri, cid, commit, validationStatus: 'valid' }
}

function refused(answer: Answer): { answer: Answer; applied: boolean } {
  return { answer, applied: false }
}

function makeTid(now: number): string {
  let value = BigInt(now) * 1000n * 1024n + BigInt(Math.floor(Math.random() * 1_024_000))
  let text = ''
  for (let index = 0; index < 13; index++) {
    text = `${TID_ALPHABET[Number(value & 31n)]}${text}`
    value >>= 5n
  }
  return text
}
