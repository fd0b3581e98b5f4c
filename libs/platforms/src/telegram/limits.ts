import type { TotalLimits } from '../check-total.ts'
import { kindOf } from './kinds.ts'

export const MAX_CHARS = 4096
/** Of the text beside files. */
export const MAX_CAPTION_CHARS = 1024
export const MAX_FILES = 10
/** Of a picture that people see in the chat; larger ones would be documents. */
export const MAX_PHOTO_BYTES = 10_000_000
/** Of width and height together, so that no side is longer than half of it. */
export const MAX_PHOTO_SIDE = 5_000
/** Of the longer side divided by the shorter. */
export const MAX_RATIO = 20

/** The Bot API takes requests of 50 MB, of which the text and the form take some. */
export const TOTAL: TotalLimits = {
  name: 'Telegram',
  maxTotalBytes: 50_000_000 - 64 * 1024,
  leastImageBytes: 1_000_000,
  isPicture: (file) => kindOf(file) === 'photo',
}
