import { z } from 'zod'
import { webAddress } from './addresses.ts'
import { clockAhead } from './clock-ahead.ts'
import { graphCall } from './graph.ts'
import { askState, type ContainerApi, rootOf } from './graph-containers.ts'
import type {
  CommitOutcome,
  Live,
  LookUpInput,
  LookUpOutcome,
  Prepared,
  PublishInput,
} from './platform.ts'
import { readJson } from './read-json.ts'
import { meaningOf, meaningOfSilence } from './refusal.ts'

const COMMIT_TIMEOUT_MS = 30_000
const READ_TIMEOUT_MS = 8_000
const READ_TRIES = 3
const LIST_TIMEOUT_MS = 15_000
const LIST_LIMIT = 25
/** How far apart Herald's and the platform's clocks may still be after allowing for what the platform says it is. */
const CLOCK_TOLERANCE_MS = 5_000
/** After so long a post that is not in the account's list will not be found there any more. */
const LISTING_MS = 5 * 60_000

/** How a platform shows what is live. */
export type PostApi = ContainerApi & {
  /** The field of a post's text: `text`, `caption`. */
  textField: 'text' | 'caption'
  /** Where the account shows its posts: the address of one whose own is not known. */
  profileUrl: (input: PublishInput) => string
}

const Post = z.object({
  id: z.string().min(1),
  permalink: z.string().nullish(),
  // Graph timestamps have an offset without a colon.
  timestamp: z
    .string()
    .transform((text) => Date.parse(text))
    .pipe(z.number()),
  text: z.string().nullish(),
  caption: z.string().nullish(),
})
type Post = z.infer<typeof Post>

const Published = z.object({ id: z.string().min(1) })

/** Publishes the container that was prepared: the one call that makes the post live. */
export async function publishContainer(
  api: PostApi,
  input: PublishInput & Prepared,
): Promise<CommitOutcome> {
  const container = rootOf(input.step)
  if (container === undefined)
    return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_PREPARED }
  const path = `/${input.account}/${api.edges.publish}`
  const fields = { creation_id: container }
  const result = await graphCall(input, 'POST', path, fields, COMMIT_TIMEOUT_MS)
  if (result.kind !== 'response') return meaningOfSilence(result, api.name)
  if (result.status !== 200) {
    const meaning = meaningOf(result, api.errors, Date.now())
    return meaning.outcome === 'unprepared'
      ? await judgeLost(api, input, container, meaning)
      : meaning
  }
  const id = readJson(Published, result.text)?.id
  return id === undefined
    ? {
        outcome: 'unknown',
        message: `${api.name} took the post, but its answer is not readable.`,
      }
    : { outcome: 'published', ...(await readLive(api, input, id)) }
}

const NOT_PREPARED = 'The post was not prepared. Create it again.'

/**
 * The platform says that it does not know a container. It may be over, or not yet known everywhere, or spent: a published one is
 * proof that the post is live, so it is asked for before another is made.
 */
async function judgeLost(
  api: PostApi,
  input: PublishInput,
  container: string,
  lost: Extract<CommitOutcome, { outcome: 'unprepared' }>,
): Promise<CommitOutcome> {
  const { message } = lost
  const told = await askState(api, input, container)
  // The token is good, so a definite refusal says once more that there is no such container.
  if ('outcome' in told) return told.outcome === 'permanent' ? lost : { ...told, message }
  switch (told.state) {
    case 'published':
      return { outcome: 'unknown', message, isWorking: true }
    case 'finished':
    case 'working':
      return { outcome: 'transient', message }
    case 'expired':
    case 'failed':
      return lost
  }
}

/** Where a post is. It is live, so without an answer its address is that of the account. */
async function readLive(api: PostApi, input: PublishInput, id: string): Promise<Live> {
  const fields = { fields: 'id,permalink,timestamp' }
  for (let tries = 0; tries < READ_TRIES && !input.signal.aborted; tries += 1) {
    const result = await graphCall(input, 'GET', `/${id}`, fields, READ_TIMEOUT_MS)
    const post =
      result.kind === 'response' && result.status === 200 ? readJson(Post, result.text) : undefined
    if (post) return liveOf(api, input, post)
  }
  const publishedAt = new Date().toISOString()
  return { platformPostId: id, url: api.profileUrl(input), publishedAt }
}

function liveOf(api: PostApi, input: PublishInput, { id, permalink, timestamp }: Post): Live {
  return {
    platformPostId: id,
    url: webAddress(permalink) ?? api.profileUrl(input),
    publishedAt: new Date(timestamp).toISOString(),
  }
}

/** A published container proves that the post is live; which of the account's posts it is, is looked up then. */
export async function lookUpContainer(api: PostApi, input: LookUpInput): Promise<LookUpOutcome> {
  const container = rootOf(input.step)
  if (container === undefined) return { absent: true }
  const told = await askState(api, input, container)
  if ('outcome' in told) return { cannotTell: told.message }
  switch (told.state) {
    case 'published':
      return await findPost(api, input, container)
    case 'finished':
    case 'expired':
      return { absent: true }
    case 'working':
      return { pending: `${api.name} is still publishing the post.` }
    case 'failed': {
      const { message, ...failure } = api.meaningOfFailure(told.said)
      const errorCode = failure.outcome === 'permanent' ? failure.errorCode : 'platform_rejected'
      return { refused: { errorCode, message } }
    }
  }
}

async function findPost(
  api: PostApi,
  input: LookUpInput,
  container: string,
): Promise<LookUpOutcome> {
  const fields = {
    fields: `id,permalink,timestamp,${api.textField}`,
    limit: String(LIST_LIMIT),
  }
  const path = `/${input.account}/${api.edges.posts}`
  const result = await graphCall(input, 'GET', path, fields, LIST_TIMEOUT_MS)
  const list =
    result.kind === 'response' && result.status === 200
      ? readJson(z.object({ data: z.array(Post) }), result.text)
      : undefined
  const calledAt = Date.parse(input.calledAt)
  const ahead = result.kind === 'response' ? clockAhead(result.headers) : 0
  const since = calledAt + ahead - CLOCK_TOLERANCE_MS
  const recent = (list?.data ?? []).filter(({ timestamp }) => timestamp >= since)
  const ours = recent.filter((post) => sameForm(post[api.textField]) === sameForm(input.text))
  const post = ours.at(-1) ?? (recent.length === 1 ? recent[0] : undefined)
  if (post) return { found: liveOf(api, input, post) }
  if (Date.now() - calledAt < LISTING_MS)
    return { pending: `${api.name} has published the post, but does not list it yet.` }
  const publishedAt = input.calledAt
  return { found: { platformPostId: container, url: api.profileUrl(input), publishedAt } }
}

/** A text without what the platform may change of it. */
function sameForm(text: string | null | undefined): string {
  return (text ?? '').normalize('NFC').replaceAll(/\s+/gu, ' ').trim()
}
