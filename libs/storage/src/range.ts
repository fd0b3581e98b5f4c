import type { ByteRange } from './storage.ts'

/** Throws a `RangeError` for what is no range of bytes. */
export function checkRange({ start, end }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new RangeError(`${start} to ${end} is not a range of bytes.`)
  }
}
