import { AppError } from '@herald/contracts/errors'
import type { IfMatch } from '@herald/contracts/if-match'

type Tag = { isWeak: boolean; tag: string }

/** One tag of a list, and what stands between it and the next one (RFC 9110, "ETag"). */
const ONE_TAG = /[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(,[ \t,]*|$)/y

/** The condition in `If-Match`; a weak tag never matches. Throws 422 for what is no list of tags: to guess would be to change. */
export function readIfMatch(header: string): IfMatch {
  if (header.trim() === '*') return '*'
  const tags = readTags(header)
  if (tags) return tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag)
  throw new AppError('validation_failed', 'The If-Match header is not a list of entity tags.', {
    details: { issues: [{ path: 'If-Match', message: 'must be * or tags in double quotes' }] },
  })
}

/** Whether `If-None-Match` names no tag that is, weakly compared, this one. A header that cannot be read is as none. */
export function isNoneMatch(header: string | undefined, current: string): boolean {
  if (header === undefined) return true
  if (header.trim() === '*') return false
  return !(readTags(header) ?? []).some(({ tag }) => tag === current)
}

/** The tags of a list, or nothing when it is none. */
function readTags(header: string): Tag[] | undefined {
  const tags: Tag[] = []
  const next = new RegExp(ONE_TAG)
  while (next.lastIndex < header.length) {
    const found = next.exec(header)
    if (!found) return undefined
    const [, weak, tag = ''] = found
    tags.push({ isWeak: weak !== undefined, tag })
  }
  return tags.length > 0 ? tags : undefined
}
