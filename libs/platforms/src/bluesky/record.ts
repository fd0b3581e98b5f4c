import { BlueskyOptions } from '@herald/contracts/options/bluesky'
import { readOptions } from '../options.ts'
import type { Live, NotPublished, Prepared, PublishInput } from '../platform.ts'
import { embedOf } from './embed.ts'
import { type Facet, facetsOf } from './facets.ts'
import { rkeyOf } from './rkey.ts'
import { Step } from './step.ts'

export const COLLECTION = 'app.bsky.feed.post'

export type PostRecord = {
  $type: typeof COLLECTION
  text: string
  createdAt: string
  langs?: string[]
  facets?: Facet[]
  embed?: Record<string, unknown>
}

/** The record of a post, or why there can be none. The same input gives the same record. */
export function recordOf(
  input: PublishInput & Prepared,
): { outcome: 'built'; record: PostRecord } | NotPublished {
  const read = readOptions(BlueskyOptions, input)
  if (read.outcome !== 'read') return read
  const { mentions, files } = Step.safeParse(input.step).data ?? { mentions: {}, files: {} }
  const facets = facetsOf(input.text, mentions)
  const embed = input.media.length === 0 ? {} : embedOf(input.media, files)
  if (!embed) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  const langs = read.options.languages
  const record: PostRecord = {
    $type: COLLECTION,
    text: input.text,
    createdAt: input.createdAt,
    ...(langs && langs.length > 0 && { langs }),
    ...(facets.length > 0 && { facets }),
    ...(input.media.length > 0 && { embed }),
  }
  return { outcome: 'built', record }
}

const NOT_UPLOADED = 'A file of the post was not uploaded. Create the post again.'

/** Where a post is live. */
export function liveOf(input: PublishInput, publishedAt: string): Live {
  const rkey = rkeyOf(input)
  return {
    platformPostId: `at://${input.account}/${COLLECTION}/${rkey}`,
    url: `${webUrlOf(input.baseUrl)}/profile/${input.username}/post/${rkey}`,
    publishedAt,
  }
}

/**
 * The website that shows the posts of a server. bsky.app shows the public network, and a server that the public
 * network cannot reach (this machine, a host name without a dot as in a container network, or a path, which the
 * protocol does not know) is not on it: such a stand-in shows its posts itself.
 */
export function webUrlOf(baseUrl: string): string {
  const { hostname, pathname } = new URL(baseUrl)
  const isPublic =
    pathname === '/' &&
    hostname.includes('.') &&
    !hostname.startsWith('127.') &&
    !hostname.endsWith('.localhost')
  return isPublic ? 'https://bsky.app' : baseUrl.replace(/\/+$/, '')
}
