import { createHash } from 'node:crypto'
import type { IfMatch } from '@herald/contracts/if-match'
import { AppError } from '@herald/contracts/errors'
import { canonicalJson } from './canonical-json.ts'

/** 162 bits of the hash: two representations never share them by chance. */
const LENGTH = 27

/**
 * The strong entity tag of a resource as one caller sees it, with its quotes. It is a hash of the representation:
 * whoever sees something else has another tag, and so has what changes by time alone.
 */
export function etagOf(representation: object): string {
  const hash = createHash('sha256').update(canonicalJson(representation)).digest('base64url')
  return `"${hash.slice(0, LENGTH)}"`
}

/** Throws 412 `conflict` unless the caller sees the resource as one of the tags says; without tags it never does. */
export function requireMatch(ifMatch: IfMatch | undefined, representation: () => object): void {
  if (ifMatch === undefined || ifMatch === '*') return
  if (ifMatch.includes(etagOf(representation()))) return
  throw new AppError('conflict', 'It has changed since you read it.', {
    status: 412,
    details: { reason: 'etag_mismatch' },
  })
}
