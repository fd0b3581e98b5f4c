import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { failureIn } from '../../fail-on-command.ts'
import { authenticate } from './authenticate.ts'
import { checkBlobs } from './blobs.ts'
import { cidOfRecord } from './cid.ts'
import { peekInput, readInput } from './input.ts'
import { shown } from './lexicon.ts'
import { postLexicon } from './post-lexicon.ts'
import { errorAnswer, refuse, refuseInput } from './refusals.ts'
import type { Server } from './server.ts'
import { type Entry, POSTS, uriOf } from './state.ts'
import { isRecordKey, isTid } from './tid.ts'

const Create = z.object({
  repo: z.string(),
  collection: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+(\.[a-zA-Z][a-zA-Z0-9]*)$/, 'NSID'),
  rkey: z.string().optional(),
  validate: z.boolean().optional(),
  record: z.record(z.string(), z.unknown()),
})
type Create = z.infer<typeof Create>
const Put = Create.extend({ rkey: z.string() })

/** `com.atproto.repo.createRecord`. A record key that is taken is a failure of the server and writes nothing. */
export function createRecord(server: Server, call: Call): Answer {
  const { account } = authenticate(server, call)
  const input = readInput(call, Create)
  const entry = prepare(server, account.did, input, input.rkey ?? server.newTid())
  if (server.state.records.has(uriOf(entry)))
    return errorAnswer(500, 'InternalServerError', 'Internal Server Error')
  checkBlobs(server, account.did, entry.value)
  return write(server, entry, input)
}

/** `com.atproto.repo.putRecord`: writes a new record or over an old one. The same content again changes nothing. */
export function putRecord(server: Server, call: Call): Answer {
  const { account } = authenticate(server, call)
  const input = readInput(call, Put)
  const entry = prepare(server, account.did, input, input.rkey)
  const current = server.state.records.get(uriOf(entry))
  const { cid } = entry
  if (current?.cid === cid)
    return jsonAnswer(200, { uri: uriOf(entry), cid, validationStatus: statusOf(input) })
  checkBlobs(server, account.did, entry.value)
  return write(server, { ...entry, at: current?.at ?? entry.at }, input)
}

/** The record key that a call chooses. */
export function recordKeyOf(call: Call): string | undefined {
  return peekInput(call, z.object({ rkey: z.string() }))?.rkey
}

function prepare(server: Server, did: string, input: Create, rkey: string): Entry {
  const { repo, collection, record } = input
  const owner = server.findAccount(repo)
  if (!owner) refuseInput(`Could not find repo: ${repo}`)
  if (owner.did !== did) refuse(401, 'AuthenticationRequired', 'Authentication Required')
  if (!isRecordKey(rkey)) refuseInput(`Invalid record key (got ${shown(rkey)}) at $.rkey`)
  const isPost = collection === POSTS
  if (isPost && !isTid(rkey)) refuseInput(`Invalid TID string (got ${shown(rkey)}) at $.rkey`)
  const value = { $type: collection, ...record }
  if (value.$type !== collection)
    refuseInput(`Invalid $type: expected ${collection}, got ${String(value.$type)}`)
  const problem = isPost && input.validate !== false ? postLexicon(value, '$.record') : undefined
  if (problem !== undefined) refuseInput(problem)
  const failure = failureIn(String(record['text']))
  if (isPost && failure !== null) refuseInput(`The post is refused: ${failure}`)
  const at = new Date(server.now()).toISOString()
  return { did, collection, rkey, cid: cidOfRecord(value), value, at }
}

function write(server: Server, entry: Entry, input: Create): Answer {
  server.record({ type: 'record-written', entry })
  const uri = uriOf(entry)
  const rev = server.newTid()
  const answer = jsonAnswer(200, {
    uri,
    cid: entry.cid,
    commit: { cid: cidOfRecord({ uri, rev }), rev },
    validationStatus: statusOf(input),
  })
  return entry.collection === POSTS ? { ...answer, applied: uri } : answer
}

/** The stand-in has the lexicon of posts alone. */
function statusOf({ collection, validate }: Create): 'valid' | 'unknown' | undefined {
  if (validate === false) return undefined
  return collection === POSTS ? 'valid' : 'unknown'
}
