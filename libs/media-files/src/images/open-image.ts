import sharp, { type Sharp, type SharpOptions } from 'sharp'
import { UnreadableFile } from '../unreadable-file.ts'

/** Most pixels of one picture, or of one frame. */
export const MAX_PIXELS = 50_000_000
/** Most frames of an animation. */
export const MAX_FRAMES = 10_000
/** Most pixels of all frames of an animation together. They are decoded in strips and never all in memory. */
export const MAX_PIXELS_OF_ALL_FRAMES = 500_000_000

// One picture at a time on one thread: there are other workers for other pictures. Nothing is kept for later, because
// the next file is another stranger's.
sharp.concurrency(1)
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
  ],
})

/** How a picture is opened: its first frame, or all frames one below the other. */
export type OpenOptions = { allFrames?: boolean; failOn?: 'warning' | 'error' }

/** A picture in a file, or in memory, ready to be decoded. Only JPEG, PNG, WEBP and GIF can be. */
export function openImage(source: string | Buffer, options: OpenOptions = {}): Sharp {
  const { allFrames = false, failOn = 'error' } = options
  const settings: SharpOptions = {
    failOn,
    limitInputPixels: allFrames ? MAX_PIXELS_OF_ALL_FRAMES : MAX_PIXELS,
    pages: allFrames ? -1 : 1,
  }
  return sharp(source, settings)
}

/** Runs what decodes a picture; what the decoder complains about is a file that cannot be read. */
export async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause
    const isTooLarge = cause instanceof Error && /exceeds pixel limit/i.test(cause.message)
    throw isTooLarge
      ? tooManyPixels()
      : new UnreadableFile('The picture is damaged or incomplete.', { cause })
  }
}

/** The refusal of a picture of more pixels, or frames, than Herald decodes. */
export function tooManyPixels(): UnreadableFile {
  return new UnreadableFile('The picture has more than 50 million pixels, or too many frames.')
}
