import type { MediaFacts } from '../platform.ts'
import type { Step, UploadedFile } from './step.ts'

/** The pictures or the video of a post, as its record has them; undefined when one of them is not uploaded. */
export function embedOf(
  media: readonly MediaFacts[],
  files: Step['files'],
): Record<string, unknown> | undefined {
  const embedded = media.flatMap((facts) => {
    const file = files[facts.id]
    return file ? [{ ...facts, ...file }] : []
  })
  if (embedded.length !== media.length) return undefined
  const [video] = embedded.filter(({ type }) => type === 'video')
  if (video)
    return {
      $type: 'app.bsky.embed.video',
      video: video.blob,
      ...(video.altText && { alt: video.altText }),
      ...aspectRatioOf(video),
    }
  const images = embedded.map((picture) => ({
    image: picture.blob,
    alt: picture.altText ?? '',
    ...aspectRatioOf(picture),
  }))
  return { $type: 'app.bsky.embed.images', images }
}

function aspectRatioOf({ width, height }: Pick<UploadedFile, 'width' | 'height'>) {
  return width === null || height === null ? {} : { aspectRatio: { width, height } }
}
