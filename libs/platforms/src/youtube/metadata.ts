import { YoutubeOptions } from '@herald/contracts/options/youtube'
import { readOptions } from '../options.ts'
import type { NotPublished, PublishFile, PublishInput } from '../platform.ts'

/** What YouTube is told of a video: the resource that is made, and the parameters of the call. */
export type Metadata = { query: Record<string, string>; resource: Record<string, unknown> }

/** The video of a post and what is said of it, or why there can be none. */
export function readPost(
  input: PublishInput,
): { outcome: 'read'; file: PublishFile; metadata: Metadata } | NotPublished {
  const read = readOptions(YoutubeOptions, input)
  if (read.outcome !== 'read') return read
  const { title, privacyStatus, madeForKids = false, notifySubscribers = true } = read.options
  const { tags, categoryId, syntheticMedia } = read.options
  if (title === undefined || privacyStatus === undefined)
    return refuse('invalid_options', 'A video needs a title, and who sees it.')
  const [file, ...others] = input.media
  if (file?.type !== 'video' || others.length > 0)
    return refuse('media_mix', 'A post to YouTube is one video and nothing else.')
  const snippet = { title, description: input.text, tags, categoryId }
  const status = {
    privacyStatus,
    selfDeclaredMadeForKids: madeForKids,
    containsSyntheticMedia: syntheticMedia,
  }
  const query = { notifySubscribers: String(notifySubscribers) }
  return { outcome: 'read', file, metadata: { query, resource: { snippet, status } } }
}

function refuse(errorCode: string, message: string): NotPublished {
  return { outcome: 'permanent', errorCode, message }
}
