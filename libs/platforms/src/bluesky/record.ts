import { BlueskyOptions } from '@herald/contracts/posts'
import { z } from 'zod'
import { readOptions } from '../options.ts'
import type { Live, NotPublished, Prepared, PublishInput } from '../platform.ts'
import { type Facet, facetsOf } from './facets.ts'
import { rkeyOf } from './rkey.ts'

export const COLLECTION = 'app.bsky.feed.post'

/** What `prepare` leaves for `commit`: the accounts behind the text's mentions, by handle in lower case. */
export const Step = z.object({ mentions: z.record(z.string(), z.string()).default({}) })
export type Step = z.infer<typeof Step>

export type PostRecord = {
  $type: typeof COLLECTION
  text: string
  createdAt: string
  langs?: string[]
  facets?: Facet[]
}

/** The record of a post, or why there can be none. The same input gives the same record. */
export function recordOf(
  input: PublishInput & Prepared,
): { outcome: 'built'; record: PostRecord } | NotPublished {
  const read = readOptions(BlueskyOptions, input)
  if (read.outcome !== 'read') return read
  const facets = facetsOf(input.text, Step.safeParse(input.step).data?.mentions ?? {})
  const langs = read.options.languages
  const record: PostRecord = {
    $type: COLLECTION,
    text: input.text,
    createdAt: input.createdAt,
    ...(langs && langs.length > 0 && { langs }),
    ...(facets.length > 0 && { facets }),
  }
  return { outcome: 'built', record }
}

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
