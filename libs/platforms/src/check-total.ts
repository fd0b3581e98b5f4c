import type { Draft, Finding, MediaFacts } from './platform.ts'

/** The room that one request has for all files of a post, where they travel in it together. */
export type TotalLimits = {
  /** For people: `Discord`. */
  name: string
  maxTotalBytes: number
  /** What is left for each picture at least, beside the files that are sent as they are. */
  leastImageBytes: number
  /** Whether a file is a picture that is made to fit. */
  isPicture: (file: MediaFacts) => boolean
}

/** Whether the files have room in one request. Pictures can be made smaller; the others leave them some of it. */
export function checkTotal({ media }: Pick<Draft, 'media'>, limits: TotalLimits): Finding[] {
  const { name, maxTotalBytes, leastImageBytes, isPicture } = limits
  const others = media.filter((file) => !isPicture(file))
  const actual = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const limit = maxTotalBytes - (media.length - others.length) * leastImageBytes
  if (actual <= limit) return []
  const message = `The files have ${actual} bytes together; ${name} takes ${limit} in one post.`
  return [{ rule: 'maxTotalBytes', limit, actual, path: 'mediaIds', message }]
}

/** How many bytes each picture may have, when all share what the other files leave; zero or less: there is no room. */
export function imageShare(media: readonly MediaFacts[], limits: TotalLimits): number {
  const { maxTotalBytes, isPicture } = limits
  const others = media.filter((file) => !isPicture(file))
  const left = maxTotalBytes - others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return Math.floor(left / Math.max(1, media.length - others.length))
}
