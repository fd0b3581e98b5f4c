import type { Answer } from '../../platform.ts'
import { failure } from './manners.ts'

/** What the reference server says of a value that is larger than allowed. */
export function tooBig(what: string, maximum: number, got: number, where: string): Answer {
  return invalidRecord(`${what} too big (maximum ${maximum}, got ${got}) at ${where}`)
}

/** A record that the lexicon does not allow. */
export function invalidRecord(message: string): Answer {
  return failure(400, 'InvalidRequest', `Invalid app.bsky.feed.post record: ${message}`)
}
