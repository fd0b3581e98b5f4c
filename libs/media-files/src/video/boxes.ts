import { cutOff, tooMuch, type LimitedFile } from '../documents/limited-file.ts'

/**
 * The boxes of the ISO base media file format (ISO/IEC 14496-12), of which MP4 and MOV are made: a size, a type of
 * four characters, a payload that may be boxes again. Nothing here recurses: callers name the boxes they enter.
 */
export type Box = { type: string; payload: Buffer }

/** A box that was not read yet. */
export type BoxRange = { type: string; start: number; length: number }

const SHORT_HEADER_BYTES = 8
const LONG_HEADER_BYTES = 16
const MAX_SIBLINGS = 10_000

/** The boxes of a file, one after the other; their payloads are not read. All must lie within the file. */
export async function* fileBoxes(file: LimitedFile): AsyncGenerator<BoxRange> {
  let position = 0
  while (file.size - position >= SHORT_HEADER_BYTES) {
    const left = file.size - position
    const bytes = await file.read(position, Math.min(left, LONG_HEADER_BYTES))
    const { type, headerSize, size } = boxHeader(bytes, left)
    yield { type, start: position + headerSize, length: size - headerSize }
    position += size
  }
}

/** The boxes that a payload consists of. Fewer than eight bytes at its end are padding, as QuickTime writes it. */
export function* boxes(data: Buffer): Generator<Box> {
  let position = 0
  for (let count = 0; data.length - position >= SHORT_HEADER_BYTES; count++) {
    if (count === MAX_SIBLINGS) throw tooMuch()
    const rest = data.subarray(position)
    const { type, headerSize, size } = boxHeader(rest, rest.length)
    yield { type, payload: rest.subarray(headerSize, size) }
    position += size
  }
}

/** The payload of the one box of a type, or undefined. Throws `UnreadableFile` when there are several. */
export function findBox(data: Buffer, type: string): Buffer | undefined {
  let found: Buffer | undefined
  for (const box of boxes(data)) {
    if (box.type !== type) continue
    if (found) throw cutOff()
    found = box.payload
  }
  return found
}

/** The payload of the box at the end of a path of types. Throws `UnreadableFile` when one of them is missing. */
export function requireBox(data: Buffer, ...path: string[]): Buffer {
  let found = data
  for (const type of path) {
    const box = findBox(found, type)
    if (!box) throw cutOff()
    found = box
  }
  return found
}

/** Flags of a "full box", which begins with a byte of version and three of flags. */
export function boxFlags(payload: Buffer): number {
  return payload.readUIntBE(1, 3)
}

/** An unsigned number of eight bytes. Beyond 2^53 it is not exact, which is far beyond every limit here. */
export function readUint64(data: Buffer, offset: number): number {
  return Number(data.readBigUInt64BE(offset))
}

function boxHeader(bytes: Buffer, available: number) {
  const short = bytes.readUInt32BE(0)
  const isLong = short === 1
  const headerSize = isLong ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES
  // A size of 0 says that the box is the last one and ends where its surroundings end.
  const size = isLong ? readUint64(bytes, 8) : short === 0 ? available : short
  if (size < headerSize || size > available) throw cutOff()
  return { type: bytes.toString('latin1', 4, 8), headerSize, size }
}
