import type { Sharp } from 'sharp'
import type { ImageType } from './measure-image.ts'
import { decoding, openImage } from './open-image.ts'

/** How to write a picture. The quality is from 1 to 100, for types that have one. */
export type Encoding = { mimeType: ImageType; isAnimated: boolean; quality?: number }

// The format has 14 bits for a side.
const MAX_WEBP_SIDE = 16_383

/**
 * Decodes a picture and writes it again in exactly this size: upright, in sRGB, without metadata. Answers null when
 * the type cannot hold so large a picture.
 */
export async function encodeImage(
  path: string,
  encoding: Encoding,
  size: { width: number; height: number },
): Promise<Buffer | null> {
  const { width, height } = size
  if (encoding.mimeType === 'image/webp' && Math.max(width, height) > MAX_WEBP_SIDE) return null
  const opened = openImage(path, { allFrames: encoding.isAnimated })
  const upright = encoding.isAnimated ? opened : opened.autoOrient()
  const image = upright.resize({ width, height, fit: 'fill' }).toColourspace('srgb')
  return decoding(() => write(image, encoding).toBuffer())
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
      return image.gif()
  }
}
