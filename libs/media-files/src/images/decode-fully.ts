import { decoding, openImage } from './open-image.ts'

/**
 * What some cameras and programs write and every viewer shows. The decoder warns of it as it warns of pictures that
 * are cut or overwritten, and those are refused.
 */
const HARMLESS =
  /extraneous bytes before marker|Unknown Adobe color transform|Invalid SOS parameters for sequential|unknown JFIF revision/

/** Decodes every pixel of every frame, in strips, and throws `UnreadableFile` when one is missing or wrong. */
export async function decodeFully(source: string | Buffer, frames: number): Promise<void> {
  await decoding(async () => {
    try {
      await decodeAll(source, frames, 'warning')
    } catch (warning) {
      if (!isHarmless(warning)) throw warning
      await decodeAll(source, frames, 'error')
    }
  })
}

/**
 * Whoever asks for the first pixel of each line has all of them decoded. With frames one below the other it must be
 * whole columns: for anything else the decoder's library would first keep all frames in memory.
 */
async function decodeAll(source: string | Buffer, frames: number, failOn: 'warning' | 'error') {
  const options = { allFrames: frames > 1, failOn }
  const { height, pageHeight = height } = await openImage(source, options).metadata()
  const firstColumn = { left: 0, top: 0, width: 1, height: pageHeight }
  await openImage(source, options).extract(firstColumn).raw().toBuffer()
}

function isHarmless(warning: unknown): boolean {
  if (!(warning instanceof Error)) return false
  const lines = warning.message.split('\n').filter((line) => line.trim() !== '')
  return lines.every((line) => HARMLESS.test(line))
}
