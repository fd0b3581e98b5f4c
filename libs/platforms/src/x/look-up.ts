import { z } from 'zod'
import { clockAhead } from '../clock-ahead.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { get } from './api.ts'
import { liveOf, Post } from './post.ts'
import { comparedPost, comparedText } from './same-text.ts'
import { readStep } from './step.ts'

const TIMEOUT_MS = 15_000
/** X is paid for each post that is read. */
const LIMIT = 10
/** How far apart Herald's and X's clocks may still be after allowing for what X says it is. */
const CLOCK_TOLERANCE_MS = 5_000

const Timeline = z.object({
  data: z.array(Post).default([]),
  meta: z.object({ result_count: z.int() }),
})

/**
 * Looks for the post among the account's latest ones that are not older than the call: one with the files that were
 * uploaded for it, else one with the same words and links. Two that fit, one that nearly fits, or a list that does not
 * reach back to the call leave it open.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const call = get(input, `/2/users/${encodeURIComponent(input.account)}/tweets`, {
    max_results: String(LIMIT),
    exclude: 'retweets,replies',
    'tweet.fields': 'attachments,created_at,entities,note_tweet',
  })
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response')
    return { cannotTell: `X did not answer (${reason(result.error)}).` }
  const posts = result.status === 200 ? readJson(Timeline, result.text)?.data : undefined
  if (!posts) return { cannotTell: `X answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  return findIn(posts, since, input)
}

function findIn(posts: Post[], since: number, input: LookUpInput): LookUpOutcome {
  const recent = posts.filter(({ created_at: at }) => Date.parse(at) >= since)
  const keys = Object.values(readStep(input.step).uploads).map(({ key }) => key)
  const keysOf = (post: Post) => post.attachments?.media_keys ?? []
  const found = (post: Post): LookUpOutcome => ({
    found: liveOf(post.id, new Date(post.created_at).toISOString(), input),
  })
  const withOurFiles = recent.find((post) => keysOf(post).some((key) => keys.includes(key)))
  if (withOurFiles) return found(withOurFiles)
  const ours = comparedText(input.text)
  // Files without words are known by their keys alone.
  const isBare = keys.length > 0 && input.text.trim() === ''
  const alike = isBare ? [] : recent.filter((post) => comparedPost(post).words === ours.words)
  const same = alike.filter(
    (post) =>
      keysOf(post).length === keys.length &&
      comparedPost(post).links.join(' ') === ours.links.join(' '),
  )
  if (same[0] && same.length === 1) return found(same[0])
  if (same.length > 1) return { cannotTell: 'The account has several posts with this text.' }
  if (alike.length > 0) return { cannotTell: 'The account has a post that is almost the same.' }
  if (posts.length >= LIMIT && recent.length === posts.length)
    return { cannotTell: 'The account has had many posts since.' }
  return { absent: true }
}
