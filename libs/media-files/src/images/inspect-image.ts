import type { FileFacts } from '../inspection.ts'
import { decodeAnimatedPng } from './animated-png.ts'
import { decodeFully } from './decode-fully.ts'
import { measureImage } from './measure-image.ts'

/** Decodes a picture to its last pixel and says what it is. */
export async function inspectImage(path: string): Promise<FileFacts> {
  const head = await measureImage(path)
  await decodeFully(path, head.frames)
  const frames = head.isAnimatedPng ? (await decodeAnimatedPng(path)).frames : head.frames
  return {
    type: head.mimeType === 'image/gif' ? 'gif' : 'image',
    mimeType: head.mimeType,
    width: head.width,
    height: head.height,
    durationSeconds: null,
    pages: null,
    isAnimated: frames > 1,
  }
}
