import { UnreadableFile } from '../unreadable-file.ts'

/** What a video file says about itself. */
export type VideoFacts = {
  mimeType: 'video/mp4' | 'video/quicktime' | 'video/webm'
  /** Size as displayed, in pixels, after the rotation that the file asks for. */
  width: number
  height: number
  /** To the nearest second, at least 1. */
  durationSeconds: number
}

/** Facts as they are found in a file, which may be absurd. */
export type UncheckedFacts = Omit<VideoFacts, 'durationSeconds'> & { seconds: number }

export const NOT_A_VIDEO = 'The file is not an MP4, MOV or WEBM video.'

const MAX_SIDE_PIXELS = 16_384
const MAX_SECONDS = 24 * 60 * 60

/** The facts, or an `UnreadableFile` when no real video could have them. */
export function checkFacts({ seconds, ...facts }: UncheckedFacts): VideoFacts {
  const { width, height } = facts
  const isSize = (side: number) => side >= 1 && side <= MAX_SIDE_PIXELS
  if (!isSize(width) || !isSize(height)) {
    throw new UnreadableFile(
      `The video's width and height must each be 1 to ${MAX_SIDE_PIXELS} pixels.`,
    )
  }
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new UnreadableFile('The video must say how long it is, and not be longer than a day.')
  }
  return { ...facts, durationSeconds: Math.max(1, Math.round(seconds)) }
}
