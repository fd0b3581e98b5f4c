import { z } from 'zod'
import { clockAhead } from '../clock-ahead.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { get } from './api.ts'
import { plainText } from './little-text.ts'
import { liveOf } from './post.ts'
import { readStep } from './step.ts'

const TIMEOUT_MS = 15_000
const LIMIT = 10
/** How far apart Herald's and LinkedIn's clocks may still be after allowing for what LinkedIn says it is. */
const CLOCK_TOLERANCE_MS = 5_000

const Media = z.object({ id: z.string() })
const Post = z.object({
  id: z.string().regex(/^urn:li:(share|ugcPost):\d+$/),
  commentary: z.string().default(''),
  createdAt: z.number(),
  lifecycleState: z.string().optional(),
  content: z
    .object({
      media: Media.optional().catch(undefined),
      multiImage: z
        .object({ images: z.array(Media) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
})
type Post = z.infer<typeof Post>

/**
 * Looks for the post among the page's latest ones that are not older than the call: one with the files that were uploaded
 * for it, else one with the same text and as many files. The posts of a member cannot be read with any access that an
 * app is given, and the call is not made again to find out, because it would make a second post wherever the first
 * is not live.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  if (!input.account.startsWith('urn:li:organization:'))
    return { cannotTell: 'LinkedIn does not let apps read the posts of a member.' }
  const { method, url, headers } = get(input, '/rest/posts', {
    author: input.account,
    q: 'author',
    count: String(LIMIT),
    sortBy: 'CREATED',
  })
  const result = await request({
    method,
    url,
    headers: { ...headers, 'x-restli-method': 'FINDER' },
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response')
    return { cannotTell: `LinkedIn did not answer (${reason(result.error)}).` }
  const schema = z.object({ elements: z.array(Post) })
  const posts = result.status === 200 ? readJson(schema, result.text)?.elements : undefined
  if (!posts) return { cannotTell: `LinkedIn answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  return findIn(posts, since, input)
}

function findIn(posts: Post[], since: number, input: LookUpInput): LookUpOutcome {
  const recent = posts.filter(({ createdAt }) => createdAt >= since)
  const urns = Object.values(readStep(input.step).uploads).map(({ urn }) => urn)
  const withOurFiles = recent.find((post) => filesOf(post).some((id) => urns.includes(id)))
  if (withOurFiles) return outcomeOf(withOurFiles, input)
  // Files without words are known by their ids alone.
  const isBare = urns.length > 0 && input.text.trim() === ''
  const alike = isBare
    ? []
    : recent.filter((post) => sameForm(plainText(post.commentary)) === sameForm(input.text))
  const [match, ...others] = alike.filter((post) => filesOf(post).length === urns.length)
  if (match && others.length === 0) return outcomeOf(match, input)
  if (match) return { cannotTell: 'The page has several posts with this text.' }
  if (alike.length > 0) return { cannotTell: 'The page has a post that is almost the same.' }
  if (posts.length >= LIMIT && recent.length === posts.length)
    return { cannotTell: 'The page has had many posts since.' }
  return { absent: true }
}

function outcomeOf({ id, createdAt, lifecycleState }: Post, input: LookUpInput): LookUpOutcome {
  switch (lifecycleState) {
    case undefined:
    case 'PUBLISHED':
      return { found: liveOf(id, new Date(createdAt).toISOString(), input) }
    case 'PUBLISH_FAILED':
      return {
        refused: {
          errorCode: 'platform_rejected',
          message: 'LinkedIn took the post, and then failed to publish it.',
        },
      }
    default:
      return { pending: 'LinkedIn has the post, and has not published it yet.' }
  }
}

function filesOf({ content }: Post): string[] {
  return [content?.media, ...(content?.multiImage?.images ?? [])].flatMap((file) => file?.id ?? [])
}

function sameForm(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim()
}
