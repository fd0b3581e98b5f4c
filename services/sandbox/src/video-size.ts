import type { ImageSize } from './image-size.ts'

type Box = { type: string; from: number; to: number }

/** Width and height of the video in an MP4 or MOV file; null when it has none that can be found. */
export function videoSize(bytes: Buffer, mimeType: string): ImageSize | null {
  if (mimeType !== 'video/mp4' && mimeType !== 'video/quicktime') return null
  const sizes = find(bytes, [{ type: '', from: 0, to: bytes.length }], ['moov', 'trak', 'tkhd'])
    .filter(({ from, to }) => to - from >= 8)
    // The header of a track ends with its size, in numbers with 16 binary places. Sound has none.
    .map(({ to }) => ({
      width: bytes.readUInt16BE(to - 8),
      height: bytes.readUInt16BE(to - 4),
    }))
  return sizes.find(({ width, height }) => width > 0 && height > 0) ?? null
}

/** The boxes at the end of a path of box types. */
function find(bytes: Buffer, within: Box[], [type, ...rest]: string[]): Box[] {
  if (type === undefined) return within
  const found = within.flatMap((box) => boxesIn(bytes, box).filter((inner) => inner.type === type))
  return find(bytes, found, rest)
}

/** A box is its length with itself, its type, and what it holds. One that is longer than its place ends the list. */
function boxesIn(bytes: Buffer, { from, to }: Box): Box[] {
  const boxes: Box[] = []
  let at = from
  while (at + 8 <= to) {
    const size = bytes.readUInt32BE(at)
    const isLong = size === 1 && at + 16 <= to
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : size || to - at
    if (length < 8 || at + length > to) break
    const type = bytes.toString('latin1', at + 4, at + 8)
    boxes.push({ type, from: at + (isLong ? 16 : 8), to: at + length })
    at += length
  }
  return boxes
}
