import { randomText } from '../../random-text.ts'
import { sniffMimeType } from '../../sniff.ts'
import { videoSize } from '../../video-size.ts'
import type { Youtube } from './server.ts'
import type { Session, Video } from './state.ts'

const PROCESSING_MS = 1500
const FAILURES = ['codec', 'conversion', 'emptyFile', 'invalidFile', 'tooSmall', 'uploadAborted']
const SIZED_VIDEOS = ['video/mp4', 'video/quicktime']

/** Makes the video of an upload that is complete. It is there at once, and judged when it is processed. */
export function makeVideo(youtube: Youtube, session: Session): Video {
  const { files, now } = youtube
  const bytes = Buffer.concat(session.stored.map(({ sha256 }) => files.get(sha256) ?? Buffer.of()))
  const mimeType = sniffMimeType(bytes) ?? 'application/octet-stream'
  const size = videoSize(bytes, mimeType)
  const isBroken =
    !mimeType.startsWith('video/') || (SIZED_VIDEOS.includes(mimeType) && size === null)
  const video: Video = {
    id: randomText(9).slice(0, 11),
    accountId: session.accountId,
    metadata: session.metadata,
    mimeType,
    sizeBytes: bytes.length,
    sha256: files.put(bytes),
    width: size?.width ?? null,
    height: size?.height ?? null,
    publishedAt: now(),
    processedAt: now() + PROCESSING_MS,
    fate: fateOf(session.metadata.description, isBroken),
  }
  youtube.record({ type: 'video-made', sessionId: session.id, video })
  return video
}

/** `#sandbox-fail:copyright` in the description has the video rejected for that, `#sandbox-fail:codec` not processed. */
function fateOf(description: string, isBroken: boolean): Video['fate'] {
  const asked = /#sandbox-fail:([A-Za-z]+)/.exec(description)?.[1]
  const reason = asked ?? (isBroken ? 'invalidFile' : null)
  if (reason === null) return { uploadStatus: 'processed', reason }
  return { uploadStatus: FAILURES.includes(reason) ? 'failed' : 'rejected', reason }
}
