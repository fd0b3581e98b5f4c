import { imageSize } from '../../image-size.ts'
import { sniffMimeType } from '../../sniff.ts'
import { videoSize } from '../../video-size.ts'
import { refuseInvalid } from './refusals.ts'
import type { Site } from './site.ts'
import type { Media, Whole } from './state.ts'
import type { z } from 'zod'

const PROCESSING_MS = 1500

/** What X makes of a whole file. Pictures are looked at once; what moves is processed, and may turn out to be unfit. */
export function wholeOf(site: Site, { category }: Media, bytes: Buffer): z.infer<typeof Whole> {
  const mimeType = sniffMimeType(bytes) ?? ''
  const size = imageSize(bytes, mimeType) ?? videoSize(bytes, mimeType)
  const { width = null, height = null } = size ?? {}
  const sha256 = site.files.put(bytes)
  switch (category) {
    case 'tweet_image':
      if (!mimeType.startsWith('image/') || !size)
        refuseInvalid('media', '', 'media type unrecognized.')
      return { sha256, width, height, readyAt: null, isBroken: false }
    case 'tweet_gif': {
      const isLarge = (width ?? 0) > 1280 || (height ?? 0) > 1080
      const isBroken = mimeType !== 'image/gif' || isLarge
      return { sha256, width, height, readyAt: site.now() + PROCESSING_MS, isBroken }
    }
    case 'tweet_video':
    case 'amplify_video': {
      const isBroken = !mimeType.startsWith('video/') || isUnfit(mimeType, size)
      return { sha256, width, height, readyAt: site.now() + PROCESSING_MS, isBroken }
    }
  }
}

/** Of MP4 and MOV it is known when they hold no video, and when that is too small or of another shape. */
function isUnfit(mimeType: string, size: { width: number; height: number } | null): boolean {
  if (mimeType !== 'video/mp4' && mimeType !== 'video/quicktime') return false
  if (!size) return true
  const ratio = size.width / size.height
  return Math.min(size.width, size.height) < 32 || ratio < 1 / 3 || ratio > 3
}
