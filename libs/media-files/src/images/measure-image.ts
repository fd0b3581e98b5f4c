import type { MediaType } from '../inspection.ts'
import { notSupported, sniff } from '../sniff.ts'
import {
  decoding,
  MAX_FRAMES,
  MAX_PIXELS,
  MAX_PIXELS_OF_ALL_FRAMES,
  openImage,
  tooManyPixels,
} from './open-image.ts'

/** The types of pictures, as the decoder calls them. */
const FORMATS = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
} as const

/** One of the four types of pictures. */
export type ImageType = (typeof FORMATS)[keyof typeof FORMATS]

/** What the head of a picture says. Width and height are those of one frame, as a person sees it. */
export type ImageHead = {
  mimeType: ImageType
  width: number
  height: number
  /** Frames that the decoder sees; an animated PNG counts as one here. */
  frames: number
  hasAlpha: boolean
  isAnimatedPng: boolean
}

/** Tells whether a type is one of the four types of pictures. */
export function isImageType(mimeType: string): mimeType is ImageType {
  return Object.values<string>(FORMATS).includes(mimeType)
}

/** Reads the head of a picture and refuses what is too large to decode. Whether the rest is there is not known yet. */
export async function measureImage(path: string): Promise<ImageHead> {
  const { mimeType, isAnimatedPng } = await sniff(path)
  if (!isImageType(mimeType)) throw notSupported()
  const metadata = await decoding(() => openImage(path, { allFrames: true }).metadata())
  const { format, width, pageHeight, autoOrient, hasAlpha, pages: frames = 1 } = metadata
  if (formatType(format) !== mimeType) throw notSupported()
  const height = pageHeight ?? metadata.height
  const pixels = width * height
  if (pixels > MAX_PIXELS || frames > MAX_FRAMES || pixels * frames > MAX_PIXELS_OF_ALL_FRAMES) {
    throw tooManyPixels()
  }
  // An orientation turns single pictures only; with frames one below the other it would speak of their sum.
  const seen = frames > 1 ? { width, height } : autoOrient
  return { mimeType, width: seen.width, height: seen.height, frames, hasAlpha, isAnimatedPng }
}

function formatType(format: string): MediaType | undefined {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format as keyof typeof FORMATS] : undefined
}
