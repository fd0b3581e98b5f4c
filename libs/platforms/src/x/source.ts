import type { ImageLimits, PublishFile } from '../platform.ts'

const IMAGE_LIMITS: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 5_000_000,
  maxWidth: 8192,
  maxHeight: 8192,
}

/** A file in the form in which X gets it, read in parts. */
export type Source = {
  mimeType: string
  category: 'tweet_image' | 'tweet_gif' | 'tweet_video'
  sizeBytes: number
  read: (start: number, end: number) => Promise<Uint8Array>
}

/** Pictures are made to fit; what moves is sent as it is. Rejects as reading the file does. */
export async function sourceOf(file: PublishFile): Promise<Source> {
  if (file.type !== 'image') {
    const { mimeType, sizeBytes } = file
    const category = file.type === 'gif' ? 'tweet_gif' : 'tweet_video'
    return { mimeType, category, sizeBytes, read: (start, end) => file.slice(start, end) }
  }
  const { bytes, mimeType } = await file.image(IMAGE_LIMITS)
  return {
    mimeType,
    category: 'tweet_image',
    sizeBytes: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
  }
}
