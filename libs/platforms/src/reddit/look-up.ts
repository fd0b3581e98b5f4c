import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { apiHeaders, apiUrl } from './api.ts'
import { liveAt, oneLineTitle, type PostOptions, readPost } from './post.ts'

const TIMEOUT_MS = 15_000
const LIMIT = 25
/** How far apart Herald's and Reddit's clocks may still be after allowing for what Reddit says it is. */
const CLOCK_TOLERANCE_MS = 5_000

const Post = z.object({
  subreddit: z.string(),
  title: z.string(),
  /** Seconds since 1970. */
  created_utc: z.number(),
  permalink: z.string(),
})
type Post = z.infer<typeof Post>
const Listing = z.object({ data: z.object({ children: z.array(z.object({ data: Post })) }) })

/**
 * Looks for the post among the account's latest ones: the same title in the same subreddit, not older than the call.
 * Two that fit, or a list that does not reach back to the call, leave it open. A post with a file may appear minutes
 * after its call.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const read = readPost(input)
  if (read.outcome !== 'read') return { cannotTell: read.message }
  const path = `/user/${encodeURIComponent(input.username)}/submitted`
  const result = await request({
    method: 'GET',
    url: apiUrl(input, path, { sort: 'new', limit: String(LIMIT) }),
    headers: apiHeaders(input),
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response')
    return { cannotTell: `Reddit did not answer (${reason(result.error)}).` }
  const listing = result.status === 200 ? readJson(Listing, result.text) : undefined
  if (!listing) return { cannotTell: `Reddit answered with status ${result.status}.` }
  const date = Date.parse(result.headers['date'] ?? '')
  const aheadMs = Number.isNaN(date) ? 0 : date - Date.now()
  const since = Date.parse(input.calledAt) + aheadMs - CLOCK_TOLERANCE_MS
  const posts = listing.data.children.map(({ data }) => data)
  return findIn(posts, since, read.options, input)
}

function findIn(
  posts: Post[],
  since: number,
  options: PostOptions,
  { settings }: LookUpInput,
): LookUpOutcome {
  const recent = posts.filter(({ created_utc }) => created_utc * 1000 >= since)
  const [found, ...others] = recent.filter((post) => isSame(post, options))
  if (others.length > 0)
    return { cannotTell: 'Several posts with this title were made in the subreddit.' }
  if (!found)
    return recent.length < LIMIT
      ? { absent: true }
      : { cannotTell: 'The account has posted too much since to see that far back.' }
  const url = addressOf(settings['webUrl'] ?? '', found.permalink)
  const live = liveAt(url, new Date(found.created_utc * 1000))
  return live ? { found: live } : { cannotTell: 'Reddit names no address of the post.' }
}

function isSame(post: Post, { subreddit, title }: PostOptions): boolean {
  return (
    post.subreddit.toLowerCase() === subreddit.toLowerCase() && oneLineTitle(post.title) === title
  )
}
