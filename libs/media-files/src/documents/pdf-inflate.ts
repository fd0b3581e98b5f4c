import { inflateSync } from 'node:zlib'
import { cutOff, tooMuch } from './limited-file.ts'

/** What may still be inflated of one PDF, in bytes. */
export type InflateBudget = { bytes: number }

const MAX_STREAM_BYTES = 32 * 1024 * 1024
const MAX_TOTAL_BYTES = 128 * 1024 * 1024

/** What may be inflated of a PDF that nothing was inflated of yet. */
export function inflateBudget(): InflateBudget {
  return { bytes: MAX_TOTAL_BYTES }
}

/** The content of a compressed stream. Throws `UnreadableFile` when it is damaged or a bomb. */
export function inflate(content: Buffer, budget: InflateBudget): Buffer {
  try {
    const inflated = inflateSync(content, { maxOutputLength: MAX_STREAM_BYTES })
    if ((budget.bytes -= inflated.length) >= 0) return inflated
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    if (!isTooLarge) throw cutOff(error)
  }
  throw tooMuch()
}
