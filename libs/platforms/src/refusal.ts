import type { HttpResponse, HttpResult } from './http.ts'
import type { CommitOutcome, NotPublished } from './platform.ts'
import { retryAt } from './retry-at.ts'

/** What a platform's refusal means for the post. `message` is a sentence that a person can act on. */
export type Meaning =
  | { outcome: 'permanent'; errorCode: string; message: string }
  | { outcome: 'reauth'; message: string }
  | { outcome: 'rate_limited'; message: string }
  | { outcome: 'transient'; message: string }
  | { outcome: 'unprepared'; message: string }
  | { outcome: 'unknown'; message: string }

/** One row of a platform's error table. Every condition that is given must hold; the first row that fits counts. */
export type RefusalRow = {
  status?: number
  /** The platform's own error code, or what it looks like. */
  code?: string | RegExp
  /** Found in the platform's message. */
  says?: RegExp
  means: Meaning
}

/** What the platform says in a refusal: its error code, where it has one, its sentence, and how long to wait. */
export type Complaint = {
  code?: string | undefined
  message?: string | undefined
  /** In seconds, where the body says it; it is the same as `Retry-After`. */
  retryAfter?: number | undefined
}

export type ErrorTable = {
  /** The platform's name for people. */
  name: string
  rows: readonly RefusalRow[]
  /** Reads the body of a refusal; an unreadable one is an empty complaint. */
  read: (text: string) => Complaint
}

/**
 * Refusals after which it is still open whether the request was carried out: a proxy that gave up waiting, and a
 * request that is being worked on.
 */
const OPEN_STATUSES = new Set([408, 409, 425])

/** What an answer other than a success means, by the platform's error table. */
export function meaningOf(
  response: HttpResponse,
  table: ErrorTable,
  now: number,
): Exclude<CommitOutcome, { outcome: 'published' }> {
  const complaint = table.read(response.text)
  const row = table.rows.find((candidate) => fits(candidate, response.status, complaint))
  const meaning = row?.means ?? otherMeaning(response.status, complaint, table.name)
  if (meaning.outcome !== 'rate_limited') return meaning
  const { retryAfter } = complaint
  const said = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { ...meaning, retryAt: retryAt({ ...response.headers, ...said }, now) }
}

/** What it means that a call has no answer: nothing happened when it was not sent, else nobody knows. */
export function meaningOfSilence(
  result: Exclude<HttpResult, { kind: 'response' }>,
  name: string,
): Extract<CommitOutcome, { outcome: 'transient' | 'unknown' }> {
  return result.kind === 'not_sent'
    ? { outcome: 'transient', message: `${name} could not be reached (${reason(result.error)}).` }
    : { outcome: 'unknown', message: `${name} did not answer (${reason(result.error)}).` }
}

/** The same for a step that makes nothing live: what is unknown or lost there can simply be done again. */
export function asPreparing(
  outcome: Exclude<CommitOutcome, { outcome: 'published' }>,
): NotPublished {
  const { outcome: kind, message } = outcome
  return kind === 'unknown' || kind === 'unprepared' ? { outcome: 'transient', message } : outcome
}

/** A short word for why a call has no answer, such as `ECONNREFUSED`. */
export function reason(error: Error): string {
  if (error.name === 'TimeoutError') return 'timeout'
  const code: unknown = 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : oneLine(error.message)
}

/** A platform's own words, fit to be shown: one line of at most 300 characters. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{White_Space}]+/gu, ' ').trim()
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`
}

function fits(row: RefusalRow, status: number, { code, message = '' }: Complaint): boolean {
  return (
    (row.status === undefined || row.status === status) &&
    (row.code === undefined || isCode(row.code, code)) &&
    (row.says === undefined || row.says.test(message))
  )
}

function isCode(wanted: string | RegExp, code = ''): boolean {
  return typeof wanted === 'string' ? wanted === code : wanted.test(code)
}

function otherMeaning(status: number, { code, message }: Complaint, name: string): Meaning {
  const said = oneLine(message || code || `HTTP status ${status}`)
  if (status === 429)
    return { outcome: 'rate_limited', message: `${name} takes no more posts for now: ${said}` }
  if (status >= 400 && status < 500 && !OPEN_STATUSES.has(status))
    return {
      outcome: 'permanent',
      errorCode: 'platform_rejected',
      message: `${name} refused the post: ${said}`,
    }
  return { outcome: 'unknown', message: `${name} failed to answer: ${said}` }
}
