import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { z } from 'zod'
import { believableText } from './believable-text.ts'
import { inThread } from './in-thread.ts'

/** A picture is shrunk to this many pixels on its longer side; letters of a headline stay large enough to read. */
const MAX_SIDE = 1_600
/** Letters need about ten pixels in height; there are none in a picture with a shorter side than this. */
const MIN_SIDE = 24
const SCRIPT = new URL('./text-in-picture-thread.ts', import.meta.url)

const ReadWords = z.array(z.object({ text: z.string(), confidence: z.number() }))

/** A word that was read, with how sure the reader is of it, from 0 to 100. */
export type ReadWord = z.infer<typeof ReadWords>[number]
export type TextInPictureInput = { picture: Uint8Array; dataPath: string }

/**
 * Reads the text in a picture, in Latin letters. It takes about 0.5 s on one core, and 3 s for a picture full of
 * texture. Null when there is none, when it takes longer than `stepMs`, and when the language data, an optional
 * package, is not installed. Throws when the picture itself cannot be read.
 */
export async function textInPicture(
  path: string,
  { limitInputPixels, stepMs }: { limitInputPixels: number; stepMs: number },
): Promise<string | null> {
  const dataPath = languageData()
  if (dataPath === null) return null
  const { data, info } = await sharp(path, { limitInputPixels })
    .autoOrient()
    .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .greyscale()
    .png({ compressionLevel: 1 })
    .timeout({ seconds: Math.ceil(stepMs / 1000) })
    .toBuffer({ resolveWithObject: true })
  if (Math.min(info.width, info.height) < MIN_SIDE) return null
  const input: TextInPictureInput = { picture: data, dataPath }
  const words = ReadWords.safeParse(await inThread(SCRIPT, input, stepMs))
  return words.success ? believableText(words.data) : null
}

/** The folder of the language data; null when its package is not installed. */
function languageData(): string | null {
  try {
    const { resolve } = createRequire(import.meta.url)
    return join(dirname(resolve('@tesseract.js-data/eng/package.json')), '4.0.0_best_int')
  } catch {
    return null
  }
}
