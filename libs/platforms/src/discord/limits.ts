import { z } from 'zod'

const MEBIBYTE = 1024 * 1024

/** Of one file, in a guild without boosts. */
export const MAX_FILE_BYTES = 10 * MEBIBYTE
/** Of all files of a message: its request has at most 25 MiB, of which the text and the form take some. */
export const MAX_TOTAL_BYTES = 25 * MEBIBYTE - 64 * 1024
/** What is left for each picture, at least, beside the files that are sent as they are. */
export const LEAST_IMAGE_BYTES = 512 * 1024
export const MAX_FILES = 10
export const MAX_CHARS = 2000
export const MAX_ALT_TEXT = 1024

/** What publishing must know of a channel: its guild, which stands in the address of a message. */
export const DiscordLimits = z.object({ guildId: z.string().min(1) })
