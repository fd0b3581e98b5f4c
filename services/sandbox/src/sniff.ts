const AT_START: [string, string][] = [
  ['ffd8ff', 'image/jpeg'],
  ['89504e470d0a1a0a', 'image/png'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['1a45dfa3', 'video/webm'],
  ['4f676753', 'audio/ogg'],
  ['494433', 'audio/mpeg'],
  ['fffb', 'audio/mpeg'],
  ['664c6143', 'audio/flac'],
  ['25504446', 'application/pdf'],
]

const BY_RIFF: Record<string, string> = { WEBP: 'image/webp', WAVE: 'audio/wav' }
const BY_BRAND: Record<string, string> = {
  'qt  ': 'video/quicktime',
  'M4A ': 'audio/mp4',
  heic: 'image/heic',
  heix: 'image/heic',
  mif1: 'image/heif',
  avif: 'image/avif',
}

/** The media type that the first bytes of a file tell; platforms trust it more than what the client says. */
export function sniffMimeType(bytes: Buffer): string | undefined {
  const at = (from: number) => bytes.toString('latin1', from, from + 4)
  if (at(0) === 'RIFF') return BY_RIFF[at(8)]
  if (at(4) === 'ftyp') return BY_BRAND[at(8)] ?? 'video/mp4'
  const start = bytes.toString('hex', 0, 8)
  return AT_START.find(([magic]) => start.startsWith(magic))?.[1]
}
