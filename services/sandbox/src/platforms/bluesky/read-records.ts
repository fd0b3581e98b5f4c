import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { readParams } from './input.ts'
import { refuse, refuseInput } from './refusals.ts'
import type { Server } from './server.ts'
import { type Account, type Entry, uriOf } from './state.ts'

const Get = z.object({
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
  reverse: z.enum(['true', 'false']).default('false'),
})

/** `com.atproto.repo.getRecord` */
export function getRecord(server: Server, call: Call): Answer {
  const { repo, collection, rkey, cid } = readParams(call, Get)
  const { did } = findRepo(server, repo)
  const uri = uriOf({ did, collection, rkey })
  const entry = server.state.records.get(uri)
  if (!entry || (cid !== undefined && cid !== entry.cid))
    refuse(400, 'RecordNotFound', `Could not locate record: ${uri}`)
  return jsonAnswer(200, view(entry))
}

/** `com.atproto.repo.listRecords`, by record key, latest first unless reversed. */
export function listRecords(server: Server, call: Call): Answer {
  const { repo, collection, limit, cursor, reverse } = readParams(call, List)
  const { did } = findRepo(server, repo)
  const isUpwards = reverse === 'true'
  const entries = [...server.state.records.values()]
    .filter((entry) => entry.did === did && entry.collection === collection)
    .toSorted((one, other) => (one.rkey < other.rkey === isUpwards ? -1 : 1))
    .filter(({ rkey }) => cursor === undefined || (isUpwards ? rkey > cursor : rkey < cursor))
    .slice(0, limit)
  const last = entries.at(-1)
  return jsonAnswer(200, { records: entries.map(view), ...(last && { cursor: last.rkey }) })
}

function findRepo(server: Server, repo: string): Account {
  return server.findAccount(repo) ?? refuseInput(`Could not find repo: ${repo}`)
}

function view(entry: Entry) {
  return { uri: uriOf(entry), cid: entry.cid, value: entry.value }
}
