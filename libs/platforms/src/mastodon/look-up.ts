import { MastodonOptions } from '@herald/contracts/posts'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { onlyLetters, sameForm, textOfHtml } from './html-text.ts'
import { liveOf, Status } from './status.ts'

const TIMEOUT_MS = 15_000
const LIMIT = 20
/** How far apart Herald's and the instance's clocks may still be after allowing for what the instance says it is. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * Looks for the post among the account's latest ones: the same text, not older than the call. Two that fit, one that
 * nearly fits, or a list that does not reach back to the call leave it open.
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
  const [match, ...others] = recent.filter((status) => isSame(status, ours, sameForm))
  if (match && others.length === 0) return { found: liveOf(match, input) }
  if (match) return { cannotTell: 'The account has several posts with this text.' }
  if (recent.some((status) => isSame(status, ours, onlyLetters)))
    return { cannotTell: 'The account has a post that is almost the same.' }
  if (statuses.length >= LIMIT && recent.length === statuses.length)
    return { cannotTell: 'The account has had many posts since.' }
  return { absent: true }
}

type Parts = { text: string; warning: string }

function partsOf({ text, options }: LookUpInput): Parts {
  return { text, warning: MastodonOptions.safeParse(options).data?.spoilerText ?? '' }
}

function isSame(status: Status, ours: Parts, form: (text: string) => string): boolean {
  return (
    form(textOfHtml(status.content)) === form(ours.text) &&
    form(status.spoiler_text) === form(ours.warning)
  )
}

/** How much later the instance's clock is than this one, in milliseconds, by the date of its answer. */
function clockAhead(headers: Record<string, string>): number {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? 0 : date - Date.now()
}
