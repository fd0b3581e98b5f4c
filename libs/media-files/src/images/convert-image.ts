import { stat } from 'node:fs/promises'
import type { PictureFacts } from '../inspection.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import {
  decodeToSize,
  type Encode,
  type Encoding,
  resizeAnimation,
  type Size,
} from './encode-image.ts'
import { mayTellPlace } from './location.ts'
import { type ImageHead, type ImageType, measureImage } from './measure-image.ts'

/** What a platform accepts. Lengths are in pixels. */
export type ImageLimits = {
  mimeTypes: readonly string[]
  maxBytes: number
  maxWidth?: number | undefined
  maxHeight?: number | undefined
  maxPixels?: number | undefined
}

/** A picture that was made here, with its bytes. */
export type MadePicture = { facts: PictureFacts; bytes: Buffer }

/** The original when it fits as it is, else a picture that was made from it and has no metadata. */
export type Converted = { original: PictureFacts } | { made: MadePicture }

const MAX_STEPS = 12
// To find the colours of each frame anew is slow, so animations get fewer tries and fewer pixels in all.
const MAX_STEPS_OF_ANIMATION = 3
const MAX_PIXELS_OF_ANIMATION = 8_000_000
// 1000 × (333 / 1000) must not become 332.
const ROUNDING = 1e-6
const QUALITIES = [90, 80, 70]

/**
 * Makes a picture fit: a type that is allowed, with the least loss; then a lower quality; then fewer pixels. Never
 * more pixels. An animation stays one if its type is allowed and it can be made small enough, else its first frame is
 * taken. What may tell where it was taken does not fit as it is, since whoever posts it would tell everybody. Throws
 * `UnreadableFile` when nothing fits.
 */
export async function convertImage(path: string, limits: ImageLimits): Promise<Converted> {
  const source = await measureImage(path)
  const { size: sizeBytes } = await stat(path)
  const { mimeType, width, height } = source
  const box = boxWithin(source, limits)
  const hasAllPixels = box.width === width && box.height === height
  const isAllowed = limits.mimeTypes.includes(mimeType)
  const isWithin = isAllowed && sizeBytes <= limits.maxBytes && hasAllPixels
  if (isWithin && !(await mayTellPlace(path))) {
    return { original: { mimeType, width, height } }
  }
  const animation =
    isAllowed && source.frames > 1 ? await shrinkAnimation(path, source, sizeBytes, limits) : null
  const made = animation ?? (await shrinkPicture(path, source, box, limits))
  if (!made) throw doesNotFit()
  return { made }
}

async function shrinkAnimation(
  path: string,
  source: ImageHead,
  sizeBytes: number,
  limits: ImageLimits,
): Promise<MadePicture | null> {
  const maxPixels = Math.min(
    limits.maxPixels ?? Number.POSITIVE_INFINITY,
    MAX_PIXELS_OF_ANIMATION / source.frames,
  )
  const box = boxWithin(source, { ...limits, maxPixels })
  // The bytes of the original say how far to go at once, for tries are dear.
  const pixelsByBytes = source.width * source.height * Math.min(1, limits.maxBytes / sizeBytes)
  const factor = Math.min(1, Math.sqrt(pixelsByBytes / (box.width * box.height)))
  const toTry = [{ mimeType: source.mimeType }]
  const encodeAt = (size: Size) => resizeAnimation(path, size)
  return shrinkUntilFits(encodeAt, toTry, scale(box, factor), limits, MAX_STEPS_OF_ANIMATION)
}

async function shrinkPicture(
  path: string,
  source: ImageHead,
  box: Size,
  limits: ImageLimits,
): Promise<MadePicture | null> {
  const toTry = encodings(source, limits.mimeTypes)
  if (toTry.length === 0) return null
  return shrinkUntilFits((size) => decodeToSize(path, size), toTry, box, limits, MAX_STEPS)
}

async function shrinkUntilFits(
  encodeAt: (size: Size) => Promise<Encode>,
  encodingsToTry: readonly Encoding[],
  largest: Size,
  { maxBytes }: ImageLimits,
  maxSteps: number,
): Promise<MadePicture | null> {
  let size = largest
  for (let step = 0; step < maxSteps; step += 1) {
    const encode = await encodeAt(size)
    let fewest = Number.POSITIVE_INFINITY
    for (const encoding of encodingsToTry) {
      const bytes = await encode(encoding)
      if (bytes && bytes.length <= maxBytes) {
        return { facts: { mimeType: encoding.mimeType, ...size }, bytes }
      }
      fewest = Math.min(fewest, bytes?.length ?? fewest)
    }
    if (size.width === 1 && size.height === 1) return null
    // Bytes grow about as the area does; a little less saves a step that would just miss.
    size = scale(size, Math.min(0.85, Math.max(0.3, Math.sqrt(maxBytes / fewest) * 0.95)))
  }
  return null
}

function doesNotFit(): UnreadableFile {
  return new UnreadableFile('The picture cannot be made to fit what the platform accepts.')
}

/** What to try at each size, from the one that loses least. */
function encodings(source: ImageHead, allowed: readonly string[]): Encoding[] {
  const types = stillTypes(source).filter((mimeType) => allowed.includes(mimeType))
  return upToTheSmallest(types, source.hasAlpha).flatMap((mimeType): Encoding[] =>
    mimeType === 'image/jpeg' || mimeType === 'image/webp'
      ? QUALITIES.map((quality) => ({ mimeType, quality }))
      : [{ mimeType }],
  )
}

function stillTypes(source: ImageHead): ImageType[] {
  if (source.hasAlpha) return ['image/png', 'image/webp', 'image/jpeg', 'image/gif']
  switch (source.mimeType) {
    case 'image/png':
    case 'image/gif':
      return ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
    case 'image/webp':
      return ['image/webp', 'image/jpeg', 'image/png', 'image/gif']
    case 'image/jpeg':
      return ['image/jpeg', 'image/webp', 'image/png', 'image/gif']
  }
}

/** Where one type with a quality did not fit, the next would not either, unless the first kept what shines through. */
function upToTheSmallest(types: ImageType[], hasAlpha: boolean): ImageType[] {
  const at = types.findIndex(
    (type) => type === 'image/jpeg' || (type === 'image/webp' && !hasAlpha),
  )
  return at < 0 ? types : types.slice(0, at + 1)
}

function boxWithin({ width, height }: Size, limits: ImageLimits): Size {
  const { maxWidth = width, maxHeight = height, maxPixels = width * height } = limits
  const factor = Math.min(
    1,
    maxWidth / width,
    maxHeight / height,
    Math.sqrt(maxPixels / (width * height)),
  )
  return scale({ width, height }, factor)
}

function scale({ width, height }: Size, factor: number): Size {
  return {
    width: Math.max(1, Math.floor(width * factor + ROUNDING)),
    height: Math.max(1, Math.floor(height * factor + ROUNDING)),
  }
}
