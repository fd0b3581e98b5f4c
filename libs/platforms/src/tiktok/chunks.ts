/** At least 5 MB and at most 64, whichever of the two megabytes TikTok means. Small, because the last one is the commit. */
const CHUNK_BYTES = 5 * 1024 * 1024

/** How a video is cut: all chunks have the same size, and what is left over belongs to the last one. */
export type Chunks = { chunkBytes: number; count: number }

/** The chunks of a video of so many bytes. */
export function chunksOf(sizeBytes: number): Chunks {
  const count = Math.max(1, Math.floor(sizeBytes / CHUNK_BYTES))
  return { count, chunkBytes: count === 1 ? sizeBytes : CHUNK_BYTES }
}

/** Where a chunk begins, and before which byte it ends. */
export function rangeOf(index: number, sizeBytes: number): { from: number; end: number } {
  const { count, chunkBytes } = chunksOf(sizeBytes)
  const from = index * chunkBytes
  return { from, end: index === count - 1 ? sizeBytes : from + chunkBytes }
}

/** How many whole chunks so many bytes are, or undefined when they end within one. */
export function chunksIn(bytes: number, sizeBytes: number): number | undefined {
  const { count, chunkBytes } = chunksOf(sizeBytes)
  const chunks = bytes / chunkBytes
  return Number.isInteger(chunks) && chunks < count ? chunks : undefined
}

export function chunkHeaders(
  mimeType: string,
  { from, end }: { from: number; end: number },
  sizeBytes: number,
): Record<string, string> {
  return { 'content-type': mimeType, 'content-range': `bytes ${from}-${end - 1}/${sizeBytes}` }
}
