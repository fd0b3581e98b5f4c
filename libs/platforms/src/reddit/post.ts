import { RedditOptions } from '@herald/contracts/options/reddit'
import type { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { isBlank } from '../blank.ts'
import { readOptions } from '../options.ts'
import type { Live, NotPublished, PublishInput } from '../platform.ts'

const PostOptions = RedditOptions.required({ subreddit: true, title: true })
export type PostOptions = z.infer<typeof PostOptions>

/** The options of a post, of which the subreddit and a title on one line must be there. */
export function readPost(
  input: PublishInput,
): { outcome: 'read'; options: PostOptions } | Extract<NotPublished, { outcome: 'permanent' }> {
  const read = readOptions(PostOptions, input)
  if (read.outcome !== 'read') return read
  const { options } = read
  if (!isBlank(options.title))
    return { outcome: 'read', options: { ...options, title: oneLineTitle(options.title) } }
  return {
    outcome: 'permanent',
    errorCode: 'text_empty',
    message: 'A post to Reddit needs a title: `reddit.title`.',
  }
}

/** A title as Reddit keeps it: without line breaks. */
export function oneLineTitle(title: string): string {
  return title.replace(/[\p{Cc}\p{White_Space}]+/gu, ' ').trim()
}

/** The post behind the address of its comments, or undefined when that is not one. */
export function liveAt(url: string | null | undefined, publishedAt: Date): Live | undefined {
  const address = webAddress(url)
  const id = /\/comments\/([a-z0-9]+)/i.exec(address ?? '')?.[1]
  if (address === null || id === undefined) return undefined
  return { platformPostId: `t3_${id}`, url: address, publishedAt: publishedAt.toISOString() }
}
