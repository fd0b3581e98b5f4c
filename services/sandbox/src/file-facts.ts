import { createHash } from 'node:crypto'

export type FileFacts = {
  /** By the first bytes; undefined for a kind that is not known here. */
  mimeType: string | undefined
  sizeBytes: number
  sha256: string
  width: number | null
  height: number | null
}

type Size = { width: number; height: number }
type Kind = {
  mimeType: string
  is: (bytes: Buffer) => boolean
  size?: (bytes: Buffer) => Size | undefined
}

const KINDS: Kind[] = [
  {
    mimeType: 'image/png',
    is: (bytes) => startsWith(bytes, 0, '\x89PNG\r\n\x1a\n'),
    size: pngSize,
  },
  { mimeType: 'image/jpeg', is: (bytes) => startsWith(bytes, 0, '\xff\xd8\xff'), size: jpegSize },
  { mimeType: 'image/gif', is: (bytes) => startsWith(bytes, 0, 'GIF8'), size: gifSize },
  {
    mimeType: 'image/webp',
    is: (bytes) => startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP'),
  },
  { mimeType: 'video/quicktime', is: (bytes) => startsWith(bytes, 4, 'ftypqt') },
  { mimeType: 'video/mp4', is: (bytes) => startsWith(bytes, 4, 'ftyp') },
  { mimeType: 'video/webm', is: (bytes) => startsWith(bytes, 0, '\x1a\x45\xdf\xa3') },
  {
    mimeType: 'audio/mpeg',
    is: (bytes) => startsWith(bytes, 0, 'ID3') || startsWith(bytes, 0, '\xff\xfb'),
  },
  { mimeType: 'audio/ogg', is: (bytes) => startsWith(bytes, 0, 'OggS') },
  {
    mimeType: 'audio/wav',
    is: (bytes) => startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WAVE'),
  },
]

/** What a platform sees of a file. The size in pixels is read of PNG, JPEG and GIF. */
export function factsOf(bytes: Buffer): FileFacts {
  const kind = KINDS.find(({ is }) => is(bytes))
  const { width = null, height = null } = kind?.size?.(bytes) ?? {}
  return {
    mimeType: kind?.mimeType,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    width,
    height,
  }
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 10) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** A JPEG is a chain of segments; the one that starts the frame has the size. */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (startsFrame)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
