import { z } from 'zod'

/** An instant as the API writes it: ISO 8601 in UTC with milliseconds, `2026-11-21T09:30:00.000Z`. */
export const Instant = z.iso
  .datetime()
  .meta({ description: 'An instant in UTC, ISO 8601 with milliseconds.' })

/**
 * An instant as a caller writes it: ISO 8601 with a UTC offset between -14:00 and +14:00.
 * It comes out in UTC with milliseconds; finer digits are cut.
 */
export const InstantWithOffset = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with a UTC offset' })
  .refine(hasRealOffset, 'has a UTC offset that does not exist')
  .refine(hasStorableYear, 'is out of range')
  .transform((text) => new Date(text).toISOString())
  .meta({ description: 'An instant with a UTC offset, ISO 8601.' })

function hasRealOffset(text: string): boolean {
  const offset = /[+-](\d\d):?(\d\d)$/.exec(text)
  if (!offset) return true
  const minutes = Number(offset[1]) * 60 + Number(offset[2])
  return Number(offset[2]) < 60 && minutes <= 14 * 60
}

function hasStorableYear(text: string): boolean {
  const year = Number(text.slice(0, 4))
  return year >= 1970 && year <= 9998
}
