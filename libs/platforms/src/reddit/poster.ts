import { asImage, type Upload } from '../file-upload.ts'
import { FileUnfit, type ImageLimits, type PublishFile } from '../platform.ts'

/** A black picture of 1280 × 720 pixels. */
const BLACK = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAABQAAAALQAQAAAADnBuD7AAAAh0lEQVR42u3BMQEAAADCoPVPbQlPoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB4GsTfAAGc95RKAAAAAElFTkSuQmCC',
  'base64',
)

/**
 * The picture that a video shows until it plays, which Reddit insists on: a frame of it where one can be had, else a
 * black one; Reddit takes its own previews from the video.
 */
export async function posterOf(video: PublishFile, limits: ImageLimits): Promise<Upload> {
  try {
    return await asImage(video, limits)
  } catch (error) {
    if (!(error instanceof FileUnfit)) throw error
    return {
      mimeType: 'image/png',
      width: 1280,
      height: 720,
      body: { length: BLACK.length, chunks: black() },
    }
  }
}

async function* black(): AsyncGenerator<Uint8Array> {
  yield BLACK
}
