import { stat } from 'node:fs/promises'
import type { PictureFacts } from '../inspection.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { decodeToSize, type Encoding, resizeAnimation, type Size } from './encode-image.ts'
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
// 1000 × (333 / 1000) must not become 332.
const ROUNDING = 1e-6
const QUALITIES = [90, 80, 70]

/**
 * Makes a picture fit: a type that is allowed, with the least loss; then a lower quality; then fewer pixels. Never
 * more pixels. What may tell where it was taken does not fit as it is, since whoever posts it would tell everybody.
 * Throws `UnreadableFile` when nothing fits.
 */
export async function convertImage(path: string, limits: ImageLimits): Promise<Converted> {
  const source = await measureImage(path)
  const { size: sizeBytes } = await stat(path)
  const { mimeType, width, height } = source
  const box = boxWithin(source, limits)
  const hasAllPixels = box.width === width && box.height === height
  const isWithin = limits.mimeTypes.includes(mimeType) && sizeBytes <= limits.maxBytes
  if (isWithin && hasAllPixels && !(await mayTellPlace(path))) {
    return { original: { mimeType, width, height } }
  }
  const toTry = encodings(source, limits.mimeTypes)
  if (toTry.length === 0) throw doesNotFit()
  return { made: await shrinkUntilFits(path, toTry, box, limits) }
}

async function shrinkUntilFits(
  path: string,
  encodingsToTry: readonly Encoding[],
  largest: Size,
  limits: ImageLimits,
): Promise<MadePicture> {
  const isAnimation = encodingsToTry.some((encoding) => encoding.isAnimated)
  let size = largest
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const encode = await (isAnimation ? resizeAnimation(path, size) : decodeToSize(path, size))
    let fewest = Number.POSITIVE_INFINITY
    for (const encoding of encodingsToTry) {
      const bytes = await encode(encoding)
      if (bytes && bytes.length <= limits.maxBytes) {
        return { facts: { mimeType: encoding.mimeType, ...size }, bytes }
      }
      fewest = Math.min(fewest, bytes?.length ?? fewest)
    }
    if (size.width === 1 && size.height === 1) break
    // Bytes grow about as the area does; a little less saves a step that would just miss.
    size = scale(size, Math.min(0.85, Math.max(0.3, Math.sqrt(limits.maxBytes / fewest) * 0.95)))
  }
  throw doesNotFit()
}

function doesNotFit(): UnreadableFile {
  return new UnreadableFile('The picture cannot be made to fit what the platform accepts.')
}

/** What to try at each size, from the one that loses least. */
function encodings(source: ImageHead, allowed: readonly string[]): Encoding[] {
  const animated =
    source.frames > 1 && allowed.includes(source.mimeType)
      ? [{ mimeType: source.mimeType, isAnimated: true }]
      : []
  const still = upToTheSmallest(
    stillTypes(source).filter((mimeType) => allowed.includes(mimeType)),
    source.hasAlpha,
  ).flatMap((mimeType): Encoding[] =>
    mimeType === 'image/jpeg' || mimeType === 'image/webp'
      ? QUALITIES.map((quality) => ({ mimeType, isAnimated: false, quality }))
      : [{ mimeType, isAnimated: false }],
  )
  // An animation that may stay one becomes smaller rather than a single picture.
  return animated.length > 0 ? animated : still
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
