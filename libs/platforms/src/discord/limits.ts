import { z } from 'zod'
import type { TotalLimits } from '../check-total.ts'

const MEBIBYTE = 1024 * 1024

/** Of one file, in a guild without boosts. */
export const MAX_FILE_BYTES = 10 * MEBIBYTE
/** All files of a message: its request has at most 25 MiB, of which the text and the form take some. */
export const TOTAL: TotalLimits = {
  name: 'Discord',
  maxTotalBytes: 25 * MEBIBYTE - 64 * 1024,
  leastImageBytes: 512 * 1024,
  isPicture: ({ type }) => type === 'image',
}
export const MAX_FILES = 10
export const MAX_CHARS = 2000
export const MAX_ALT_TEXT = 1024

/** What publishing must know of a channel: its guild, which stands in the address of a message. */
export const DiscordLimits = z.object({ guildId: z.string().min(1) })
