import type { ThumbnailFacts } from '../inspection.ts'
import { decoding, openImage } from './open-image.ts'

/** A thumbnail with its bytes. */
export type MadeThumbnail = { facts: ThumbnailFacts; bytes: Buffer }

const SIDE = 512

/** A small WEBP of the first frame: upright, in sRGB, without metadata, never larger than the picture. */
export async function makeThumbnail(source: string | Buffer): Promise<MadeThumbnail> {
  const { data, info } = await decoding(() =>
    openImage(source)
      .autoOrient()
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer({ resolveWithObject: true }),
  )
  return {
    facts: { mimeType: 'image/webp', width: info.width, height: info.height },
    bytes: data,
  }
}
