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

/** Fetches a picture while the caller waits, and refuses the call when it cannot be had or does not fit. */
export async function pullPicture(
  world: World,
  url: string,
  altText: string | null,
  { mimeTypes, maxBytes, minRatio, maxRatio }: PictureLimits,
): Promise<Media> {
  const file = await fetchFile(url, maxBytes)
  if ('problem' in file) {
    if (file.problem === 'too-large')
      refuseMedia(36000, 2207004, `The image size is too large. The maximum is ${maxBytes} bytes.`)
    refuseMedia(
      9004,
      2207052,
      'The media could not be fetched from this URI.',
      'Only photo or video can be accepted as media type.',
    )
  }
  const { mimeType, width, height } = file
  if (!mimeTypes.includes(mimeType) || !width || !height)
    refuseMedia(36001, 2207005, `The image format ${mimeType} is not supported.`)
  const ratio = width / height
  if (ratio < minRatio || ratio > maxRatio)
    refuseMedia(
      36003,
      2207009,
      `The submitted image with aspect ratio ('${width}/${height}',) cannot be published.`,
    )
  return mediaOf(world, file, altText)
}

function refuseMedia(
  code: number,
  subcode: number,
  userMessage: string,
  message = userMessage,
): never {
  refuse({ message, code, subcode, isTransient: false, userTitle: 'Media error', userMessage })
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
