import { fetchFile, type FetchedFile } from '../fetch-file.ts'
import type { World } from '../stand-in.ts'
import type { Media } from './containers.ts'
import { refuse } from './errors.ts'

export type PictureLimits = {
  mimeTypes: readonly string[]
  maxBytes: number
  /** Of width divided by height. */
  minRatio: number
  maxRatio: number
}

export type PictureProblem = 'unreachable' | 'too-large' | 'format' | 'ratio'

/** Fetches a picture while the caller waits, and refuses the call when it cannot be had or does not fit. */
export async function pullPicture(
  world: World,
  url: string,
  altText: string | null,
  { mimeTypes, maxBytes, minRatio, maxRatio }: PictureLimits,
  refusePicture: (problem: PictureProblem) => never = refuseContainer,
): Promise<Media> {
  const file = await fetchFile(url, maxBytes)
  if ('problem' in file) return refusePicture(file.problem)
  const { mimeType, width, height } = file
  if (!mimeTypes.includes(mimeType) || !width || !height) return refusePicture('format')
  const ratio = width / height
  if (ratio < minRatio || ratio > maxRatio) return refusePicture('ratio')
  return mediaOf(world, file, altText)
}

/** What Instagram and Threads say of a picture for a container. */
function refuseContainer(problem: PictureProblem): never {
  const [code, subcode, message] = PROBLEMS[problem]
  refuse({
    message,
    code,
    subcode,
    isTransient: false,
    userTitle: 'Media error',
    userMessage: message,
  })
}

const PROBLEMS: Record<PictureProblem, [number, number, string]> = {
  unreachable: [9004, 2207052, 'The media could not be fetched from this URI.'],
  'too-large': [36000, 2207004, 'The image size is too large. It should be less than 8 MiB.'],
  format: [36001, 2207005, 'The image format is not supported.'],
  ratio: [36003, 2207009, 'The submitted image has an aspect ratio that cannot be published.'],
}

/** Fetches a video, whose problems are told only when it is processed. */
export async function pullVideo(
  world: World,
  url: string,
  altText: string | null,
  maxBytes: number,
): Promise<{ media: Media } | { problem: 'unreachable' | 'too-large' | 'no-video' }> {
  const file = await fetchFile(url, maxBytes)
  if ('problem' in file) return file
  const isVideo = ['video/mp4', 'video/quicktime'].includes(file.mimeType) && file.width !== null
  return isVideo ? { media: mediaOf(world, file, altText) } : { problem: 'no-video' }
}

function mediaOf({ files }: World, file: FetchedFile, altText: string | null): Media {
  const { bytes, mimeType, width, height } = file
  const sha256 = files.put(bytes)
  return { mimeType, sizeBytes: bytes.length, sha256, width, height, altText }
}
