import { open } from 'node:fs/promises'
import sharp from 'sharp'
import { cameraWords } from './camera-words.ts'
import { cleanText } from './clean-text.ts'
import { colouringOf } from './colour-names.ts'
import type { FileFacts } from '../inspection.ts'
import { unlessUnreadable } from './unless-unreadable.ts'
import { listed, orientation, sentence, sizeWords } from './shape-words.ts'
import { textInPicture } from './text-in-picture.ts'

const MAX_PIXELS = 50_000_000
/** Colours are counted on a copy of at most this many pixels on a side. */
const COLOUR_SIDE = 64
/** EXIF data stands at the beginning of a JPEG file and takes at most 64 KB there. */
const HEAD_BYTES = 256 * 1024
const MAX_TEXT = 600
const DARK = 0.35
const BRIGHT = 0.85

/** Says what a picture looks like: shape, colours, when it was taken, and the text in it. */
export async function describePicture(
  path: string,
  facts: FileFacts,
  stepMs: number,
): Promise<string | null> {
  const looks = await unlessUnreadable(() => looksOf(path, stepMs))
  const size = facts.width && facts.height ? facts : (looks?.size ?? facts)
  const sides = sizeWords(size)
  if (sides === null && !looks) return null
  const taken = await unlessUnreadable(async () => cameraWords(await headOf(path)))
  const limits = { limitInputPixels: MAX_PIXELS, stepMs }
  const text = looks ? await unlessUnreadable(() => textInPicture(path, limits)) : null
  return [
    sentence(kindWords(facts, size, looks?.lightness ?? null), sides, looks?.colours ?? null),
    taken,
    text && `It shows the text “${cleanText(text, MAX_TEXT)}”.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function kindWords(
  { type, isAnimated }: FileFacts,
  { width, height }: Pick<FileFacts, 'width' | 'height'>,
  lightness: number | null,
): string {
  const words = [
    isAnimated && 'animated',
    lightness !== null && lightness < DARK && 'dark',
    lightness !== null && lightness > BRIGHT && 'bright',
    width && height && orientation(width, height),
    type === 'gif' ? 'GIF' : 'picture',
  ]
  return words.filter(Boolean).join(' ')
}

/** Colours and lightness of a picture, or of the first frame of one that moves. */
async function looksOf(path: string, stepMs: number) {
  const picture = sharp(path, { limitInputPixels: MAX_PIXELS })
  const { autoOrient } = await picture.metadata()
  const pixels = await picture
    .autoOrient()
    .resize(COLOUR_SIDE, COLOUR_SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .timeout({ seconds: Math.ceil(stepMs / 1000) })
    .toBuffer()
  const colouring = colouringOf(pixels)
  const colours = colouring?.colours.length ? `mostly ${listed(colouring.colours)}` : null
  return { size: autoOrient, colours, lightness: colouring?.lightness ?? null }
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}
