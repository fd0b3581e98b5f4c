import { z } from 'zod'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { apiCall, callApi } from './api.ts'
import { createdAt, liveOf, Pin, type PinOptions, readPin } from './pin.ts'

const LIMIT = 25
/** How far apart Herald's and Pinterest's clocks may still be after allowing for what Pinterest says it is. */
const CLOCK_TOLERANCE_MS = 5_000

const Pins = z.object({ items: z.array(Pin) })

/**
 * Looks for the pin among the latest of its board: the same title, text and link, not older than the call. Two that fit,
 * or a list that does not reach back to the call, leave it open.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const read = readPin(input)
  if (read.outcome !== 'read') return { cannotTell: read.message }
  const path = `/boards/${read.options.boardId}/pins`
  const call = apiCall(input, 'GET', path, { query: { page_size: String(LIMIT) } })
  const result = await callApi(input, call)
  if (result.kind !== 'response')
    return { cannotTell: `Pinterest did not answer (${reason(result.error)}).` }
  const pins = result.status === 200 ? readJson(Pins, result.text)?.items : undefined
  if (!pins) return { cannotTell: `Pinterest answered with status ${result.status}.` }
  const date = Date.parse(result.headers['date'] ?? '')
  const aheadMs = Number.isNaN(date) ? 0 : date - Date.now()
  const since = Date.parse(input.calledAt) + aheadMs - CLOCK_TOLERANCE_MS
  return findIn(pins, since, read.options, input)
}

function findIn(
  pins: Pin[],
  since: number,
  options: PinOptions,
  { text, settings }: LookUpInput,
): LookUpOutcome {
  const recent = pins.filter((pin) => (createdAt(pin) ?? 0) >= since)
  const [found, ...others] = recent.filter((pin) => isSame(pin, options, text))
  if (others.length > 0) return { cannotTell: 'Several pins like this were made on the board.' }
  if (found) return { found: liveOf(found, settings, createdAt(found) ?? Date.now()) }
  return recent.length < LIMIT
    ? { absent: true }
    : { cannotTell: 'The board has too many pins since to see that far back.' }
}

function isSame(pin: Pin, { title = '', link = '' }: PinOptions, text: string): boolean {
  return (
    sameForm(pin.title) === sameForm(title) &&
    sameForm(pin.description) === sameForm(text) &&
    (link === '' || sameForm(pin.link) === sameForm(link))
  )
}

/** A text in the form in which what was sent and what Pinterest shows are alike. */
function sameForm(text: string | null | undefined): string {
  return (text ?? '')
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim()
}
