import sharp, { type Sharp } from 'sharp'
import type { ImageType } from './measure-image.ts'
import { decoding, openImage } from './open-image.ts'

/** How to write a picture. The quality is from 1 to 100, for types that have one. */
export type Encoding = { mimeType: ImageType; quality?: number }

/** Pixels: of a picture, or of one frame. */
export type Size = { width: number; height: number }

/** Writes a picture; null when the type cannot hold so large a one. */
export type Encode = (encoding: Encoding) => Promise<Buffer | null>

// The format has 14 bits for a side.
const MAX_WEBP_SIDE = 16_383

/**
 * Decodes a picture in exactly this size, upright, in sRGB and without metadata. What it answers writes that picture;
 * to try several encodings takes one decoding.
 */
export async function decodeToSize(path: string, size: Size): Promise<Encode> {
  const { data, info } = await decoding(() =>
    openImage(path)
      .autoOrient()
      .resize({ ...size, fit: 'fill' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true }),
  )
  return (encoding) => encode(() => sharp(data, { raw: info }), encoding, size)
}

/** The same for all frames of an animation. Its frames are decoded anew each time and are never all in memory. */
export async function resizeAnimation(path: string, size: Size): Promise<Encode> {
  const open = () => openImage(path, { allFrames: true }).resize({ ...size, fit: 'fill' })
  return (encoding) => encode(open, encoding, size)
}

async function encode(open: () => Sharp, encoding: Encoding, size: Size): Promise<Buffer | null> {
  const isTooLarge = Math.max(size.width, size.height) > MAX_WEBP_SIDE
  if (encoding.mimeType === 'image/webp' && isTooLarge) return null
  return decoding(() => write(open(), encoding).toBuffer())
}

function write(image: Sharp, { mimeType, quality = 80 }: Encoding): Sharp {
  switch (mimeType) {
    case 'image/jpeg':
      return image.flatten({ background: '#ffffff' }).jpeg({ quality })
    case 'image/webp':
      return image.webp({ quality })
    case 'image/png':
      return image.png()
    case 'image/gif':
      // The default effort takes seconds for each frame and saves a tenth of the bytes.
      return image.gif({ effort: 1 })
  }
}
