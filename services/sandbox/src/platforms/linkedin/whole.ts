import type { z } from 'zod'
import { imageSize } from '../../image-size.ts'
import { sniffMimeType } from '../../sniff.ts'
import { videoSize } from '../../video-size.ts'
import { refuse } from './refusals.ts'
import type { Site } from './site.ts'
import type { Asset, Whole } from './state.ts'

const PROCESSING_MS = 1500
const MAX_PIXELS = 36_152_320
const MAX_DOCUMENT_BYTES = 100 * 1024 * 1024

/** What LinkedIn makes of a whole file. Pictures and documents are there at once; videos are processed. */
export function wholeOf(site: Site, { kind }: Asset, bytes: Buffer): z.infer<typeof Whole> {
  const mimeType = sniffMimeType(bytes) ?? officeType(bytes)
  const size = imageSize(bytes, mimeType) ?? videoSize(bytes, mimeType)
  const { width = null, height = null } = size ?? {}
  const common = { sha256: site.files.put(bytes), sizeBytes: bytes.length, mimeType, width, height }
  switch (kind) {
    case 'image':
      if (!['image/jpeg', 'image/png', 'image/gif'].includes(mimeType))
        refuse(400, 'BAD_REQUEST', 'Unsupported media type of an image')
      if ((width ?? 0) * (height ?? 0) >= MAX_PIXELS)
        refuse(400, 'BAD_REQUEST', `An image has fewer than ${MAX_PIXELS} pixels`)
      return { ...common, readyAt: site.now(), failure: null }
    case 'document':
      if (bytes.length > MAX_DOCUMENT_BYTES)
        refuse(400, 'BAD_REQUEST', 'A document has at most 100 MB')
      return {
        ...common,
        readyAt: site.now(),
        failure: mimeType === '' ? 'The document cannot be read' : null,
      }
    case 'video':
      return {
        ...common,
        readyAt: site.now() + PROCESSING_MS,
        failure: mimeType === 'video/mp4' && size ? null : 'The video cannot be transcoded',
      }
  }
}

/** The newer files of Word and PowerPoint are ZIP archives, the older ones begin with a mark of their own. */
function officeType(bytes: Buffer): string {
  const start = bytes.toString('hex', 0, 4)
  if (start === '504b0304')
    return 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  return start === 'd0cf11e0' ? 'application/msword' : ''
}
