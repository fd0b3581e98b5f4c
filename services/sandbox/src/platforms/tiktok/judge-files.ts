import type { FetchedFile } from '../../fetch-file.ts'
import type { Tiktok } from './server.ts'
import type { PostInfo, StoredFile } from './state.ts'

const VIDEOS = ['video/mp4', 'video/quicktime', 'video/webm']
const PHOTOS = ['image/jpeg', 'image/webp']

/** Keeps a file. */
export function store({ files }: Tiktok, { bytes, ...facts }: FetchedFile): StoredFile {
  return { ...facts, sizeBytes: bytes.length, sha256: files.put(bytes) }
}

/** Why a video will not be published, or null. A text with `#sandbox-fail:duration_check_failed` asks for it. */
export function judgeVideo({ mimeType, width, height }: FetchedFile, info: PostInfo) {
  const isSized = mimeType === 'video/webm' || width !== null
  if (!VIDEOS.includes(mimeType) || !isSized) return 'file_format_check_failed'
  const sides = [width ?? 360, height ?? 360]
  if (sides.some((side) => side < 360 || side > 4096)) return 'picture_size_check_failed'
  return askedFailure(info)
}

/** The same of a photo, which has at most 1080p, upright or not. */
export function judgePhoto({ mimeType, width, height }: FetchedFile): string | null {
  if (!PHOTOS.includes(mimeType) || width === null || height === null)
    return 'file_format_check_failed'
  const [short = 0, long = 0] = [width, height].toSorted((one, other) => one - other)
  return short > 1080 || long > 1920 ? 'picture_size_check_failed' : null
}

export function askedFailure({ title, description }: PostInfo): string | null {
  return /#sandbox-fail:([a-z_]+)/.exec(`${title} ${description}`)?.[1] ?? null
}
