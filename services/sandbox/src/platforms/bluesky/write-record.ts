import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { checkRecord } from './check-record.ts'
import { canonicalJson, cidOf } from './cid.ts'
import { failure, findAccount } from './manners.ts'
import { COLLECTION, postUri } from './post-uri.ts'
import type { Bluesky } from './tables.ts'

const RECORD_KEY = /^(?!\.{1,2}$)[A-Za-z0-9_~.:-]{1,512}$/
const Write = z.object({
  repo: z.string(),
  collection: z.literal(COLLECTION, { error: `The sandbox takes ${COLLECTION} only` }),
  rkey: z.string().regex(RECORD_KEY, 'Invalid record key').optional(),
  record: z.record(z.string(), z.unknown()),
})
type Write = z.infer<typeof Write>
type Writer = { bluesky: Bluesky; newRkey: () => string }

/** com.atproto.repo.createRecord. A key that is taken leads to an error of the server, and to no second post. */
export function createRecord({ bluesky, newRkey }: Writer, did: string, { body }: Request): Answer {
  const input = readWrite(bluesky, did, body)
  if ('refused' in input) return input.refused
  const rkey = input.rkey ?? newRkey()
  if (bluesky.posts.get(`${did}/${rkey}`))
    return failure(500, 'InternalServerError', 'Internal Server Error')
  return write(bluesky, newRkey, { did, rkey, record: input.record })
}

/** com.atproto.repo.putRecord: makes the record or replaces it. The same content again changes nothing. */
export function putRecord({ bluesky, newRkey }: Writer, did: string, { body }: Request): Answer {
  const input = readWrite(bluesky, did, body)
  if ('refused' in input) return input.refused
  const { rkey, record } = input
  if (rkey === undefined)
    return failure(400, 'InvalidRequest', 'Input must have the property "rkey"')
  const present = bluesky.posts.get(`${did}/${rkey}`)
  if (present?.cid !== cidOf(canonicalJson(record), 'record'))
    return write(bluesky, newRkey, { did, rkey, record })
  const { cid } = present
  return { status: 200, body: { uri: postUri(present), cid, validationStatus: 'valid' } }
}

function readWrite(bluesky: Bluesky, did: string, body: unknown): Write | { refused: Answer } {
  const parsed = Write.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const message = `Invalid input: ${issue?.message} at ${issue?.path.join('.') || 'body'}`
    return { refused: failure(400, 'InvalidRequest', message) }
  }
  if (findAccount(bluesky, parsed.data.repo)?.did !== did)
    return { refused: failure(401, 'AuthenticationRequired', 'Authentication Required') }
  // The type may be left out of the record; it is then the collection's.
  const record = { $type: COLLECTION, ...parsed.data.record }
  const refused = checkRecord(bluesky, did, record)
  return refused ? { refused } : { ...parsed.data, record }
}

function write(
  { core, posts }: Bluesky,
  newRev: () => string,
  { did, rkey, record }: { did: string; rkey: string; record: Record<string, unknown> },
): Answer {
  const id = `${did}/${rkey}`
  const cid = cidOf(canonicalJson(record), 'record')
  posts.put(id, { did, rkey, cid, record, at: posts.get(id)?.at ?? core.clock.iso() })
  const rev = newRev()
  return {
    status: 200,
    body: {
      uri: postUri({ did, rkey }),
      cid,
      commit: { cid: cidOf(`${rev} ${id} ${cid}`, 'record'), rev },
      validationStatus: 'valid',
    },
    applied: true,
  }
}
