import { MastodonOptions } from '@herald/contracts/options/mastodon'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { clockAhead } from '../clock-ahead.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { onlyLetters, sameForm, textOfHtml } from './html-text.ts'
import { readStep } from './media.ts'
import { liveOf, Status } from './status.ts'

const TIMEOUT_MS = 15_000
const LIMIT = 20
/** How far apart Herald's and the instance's clocks may still be after allowing for what the instance says it is. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * Looks for the post among the account's latest ones that are not older than the call: one with the files that were
 * uploaded for it, else one with the same text and as many files. Two that fit, one that nearly fits, or a list that
 * does not reach back to the call leave it open.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const result = await request({
    method: 'GET',
    url: addressOf(
      input.baseUrl,
      `/api/v1/accounts/${encodeURIComponent(input.account)}/statuses`,
      { limit: String(LIMIT), exclude_replies: 'true', exclude_reblogs: 'true' },
    ),
    headers: { authorization: `Bearer ${input.token}` },
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response')
    return { cannotTell: `Mastodon did not answer (${reason(result.error)}).` }
  const statuses = result.status === 200 && readJson(z.array(Status), result.text)
  if (!statuses) return { cannotTell: `Mastodon answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  return findIn(statuses, since, input)
}

function findIn(statuses: Status[], since: number, input: LookUpInput): LookUpOutcome {
  const recent = statuses.filter(({ created_at }) => Date.parse(created_at) >= since)
  const ours = partsOf(input)
  const withOurFiles = recent.find((status) => hasOurFiles(status, ours))
  if (withOurFiles) return { found: liveOf(withOurFiles, input) }
  const [match, ...others] = recent.filter((status) => isSame(status, ours))
  if (match && others.length === 0) return { found: liveOf(match, input) }
  if (match) return { cannotTell: 'The account has several posts with this text.' }
  if (recent.some((status) => isAlike(status, ours)))
    return { cannotTell: 'The account has a post that is almost the same.' }
  if (statuses.length >= LIMIT && recent.length === statuses.length)
    return { cannotTell: 'The account has had many posts since.' }
  return { absent: true }
}

/** `files` are the instance's ids of what was uploaded for the post. */
type Parts = { text: string; warning: string; files: string[] }

function partsOf({ text, options, step }: LookUpInput): Parts {
  return {
    text,
    warning: MastodonOptions.safeParse(options).data?.spoilerText ?? '',
    files: Object.values(readStep(step).uploads).map(({ id }) => id),
  }
}

/** A file belongs to one status at most, so its id proves whose status it is. Not every software keeps the ids. */
function hasOurFiles({ media_attachments: attached }: Status, { files }: Parts): boolean {
  return attached.some(({ id }) => files.includes(id))
}

/** Files without a text are like any others: they are known by their ids alone. */
function isSame(status: Status, ours: Parts): boolean {
  const isBare = ours.files.length > 0 && ours.text.trim() === ''
  return !isBare && hasAsManyFiles(status, ours) && saysTheSame(status, ours, sameForm)
}

function isAlike(status: Status, ours: Parts): boolean {
  const isBare = ours.text.trim() === ''
  return (!isBare || hasAsManyFiles(status, ours)) && saysTheSame(status, ours, onlyLetters)
}

function hasAsManyFiles({ media_attachments: attached }: Status, { files }: Parts): boolean {
  return attached.length === files.length
}

function saysTheSame(status: Status, ours: Parts, form: (text: string) => string): boolean {
  return (
    form(textOfHtml(status.content)) === form(ours.text) &&
    form(status.spoiler_text) === form(ours.warning)
  )
}
