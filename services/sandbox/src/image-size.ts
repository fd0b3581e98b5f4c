export type ImageSize = { width: number; height: number }

/** Width and height that the header of a PNG, JPEG, GIF or WEBP file tells; null for anything else. */
export function imageSize(bytes: Buffer, mimeType: string): ImageSize | null {
  try {
    return READERS[mimeType]?.(bytes) ?? null
  } catch (error) {
    // A header that is cut off: reading beyond the end.
    if (error instanceof RangeError) return null
    throw error
  }
}

const READERS: Record<string, (bytes: Buffer) => ImageSize | null> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

/** Walks the segments up to the frame header. */
function readJpeg(bytes: Buffer): ImageSize | null {
  let at = 2
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // Fill bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
}

function readWebp(bytes: Buffer): ImageSize | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
