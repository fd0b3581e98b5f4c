import { open } from 'node:fs/promises'
import { UnreadableFile } from '../unreadable-file.ts'

/** A file that is read piece by piece and within limits, whatever its structure claims. */
export type LimitedFile = {
  /** In bytes. */
  size: number
  /** The bytes from `position` on. Throws `UnreadableFile` when they are not all there, or a limit is reached. */
  read: (position: number, length: number) => Promise<Buffer>
}

export type ReadLimits = {
  /** How many pieces may be asked for. Every element of a structure costs at least one, so this bounds all loops. */
  pieces: number
  /** How many bytes may be read from the disk in total. */
  bytes: number
}

const WINDOW_BYTES = 64 * 1024

/**
 * Opens a file, lets `inspect` read it within the limits, and closes it. Throws `UnreadableFile` also when `inspect`
 * looks for a number past the end of a piece: that is how a damaged structure shows.
 */
export async function readLimited<Result>(
  path: string,
  limits: ReadLimits,
  inspect: (file: LimitedFile) => Promise<Result>,
): Promise<Result> {
  await using handle = await open(path)
  const { size } = await handle.stat()
  const left = { ...limits }
  let window = { start: 0, bytes: Buffer.alloc(0) }

  const load = async (start: number, length: number) => {
    if ((left.bytes -= length) < 0) throw tooMuch()
    const bytes = Buffer.allocUnsafeSlow(length)
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled)
      if (bytesRead === 0) throw cutOff()
      filled += bytesRead
    }
    window = { start, bytes }
  }

  const read = async (position: number, length: number) => {
    if (!(position >= 0 && length >= 0 && position + length <= size)) throw cutOff()
    if (--left.pieces < 0) throw tooMuch()
    const isInWindow =
      position >= window.start && position + length <= window.start + window.bytes.length
    if (!isInWindow) await load(position, Math.min(Math.max(length, WINDOW_BYTES), size - position))
    return window.bytes.subarray(position - window.start, position - window.start + length)
  }

  try {
    return await inspect({ size, read })
  } catch (error) {
    if (isPastEnd(error)) throw cutOff(error)
    throw error
  }
}

/** The refusal of a file whose end is missing or whose structure contradicts itself. */
export function cutOff(cause?: unknown): UnreadableFile {
  return new UnreadableFile('The file is cut off or damaged.', { cause })
}

/** The refusal of a file that would take too long or too much memory to read. */
export function tooMuch(): UnreadableFile {
  return new UnreadableFile('The file has more parts than can be read.')
}

function isPastEnd(error: unknown): boolean {
  return (
    error instanceof RangeError &&
    'code' in error &&
    (error.code === 'ERR_OUT_OF_RANGE' || error.code === 'ERR_BUFFER_OUT_OF_BOUNDS')
  )
}
