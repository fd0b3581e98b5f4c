import { describe, type FetchedFile, fetchFile } from '../../fetch-file.ts'
import { randomText } from '../../random-text.ts'
import type { Form } from '../../read-form.ts'
import { LIMITS } from './limits.ts'
import { refuse } from './refusals.ts'
import type { Telegram } from './server.ts'
import type { SentFile } from './state.ts'

type Kind = SentFile['kind']
type Received = FetchedFile & { fileName: string }

/** A file of a post: a part of the form, one that Telegram fetches, or one that it has already. */
export async function readFile(
  telegram: Telegram,
  { files, fields }: Form,
  kind: Kind,
  given: unknown = fields[kind],
  ownPart: string = kind,
): Promise<SentFile> {
  const name = typeof given === 'string' ? given : undefined
  const part = files[/^attach:\/\/(.+)$/.exec(name ?? '')?.[1] ?? ownPart]
  if (part && (name === undefined || name.startsWith('attach://'))) {
    const { bytes, fileName, mimeType } = part
    return keep(telegram, kind, { ...describe(bytes, mimeType), fileName }, LIMITS.photoBytes)
  }
  if (name === undefined) return refuse(`there is no ${kind} in the request`)
  if (/^https?:\/\//.test(name)) return await fetchAs(telegram, kind, name)
  const known = telegram.state.messages.find(({ file }) => file?.fileId === name)?.file
  if (known?.kind === kind) return known
  return refuse('wrong file identifier/HTTP URL specified')
}

async function fetchAs(telegram: Telegram, kind: Kind, url: string): Promise<SentFile> {
  const limit = kind === 'photo' ? LIMITS.fetchedPhotoBytes : LIMITS.fetchedBytes
  const fetched = await fetchFile(url, limit)
  if ('problem' in fetched) return refuse('failed to get HTTP URL content')
  if (kind === 'photo' && !fetched.mimeType.startsWith('image/'))
    return refuse('wrong type of the web page content')
  const fileName = new URL(url).pathname.split('/').at(-1) ?? ''
  return keep(telegram, kind, { ...fetched, fileName }, limit)
}

function keep(telegram: Telegram, kind: Kind, file: Received, photoBytes: number): SentFile {
  const { bytes, mimeType, width, height, fileName } = file
  if (bytes.length === 0) refuse('file must be non-empty')
  if (kind === 'photo') checkPhoto(file, photoBytes)
  if (kind === 'video' && !mimeType.startsWith('video/')) refuse('VIDEO_CONTENT_TYPE_INVALID')
  return {
    fileId: `sandbox${randomText(24)}`,
    kind,
    fileName: fileName || 'file',
    mimeType,
    sizeBytes: bytes.length,
    sha256: telegram.files.put(bytes),
    width,
    height,
  }
}

function checkPhoto({ bytes, mimeType, width, height }: Received, limit: number): void {
  if (bytes.length > limit)
    refuse(
      `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${limit} bytes`,
    )
  if (!mimeType.startsWith('image/') || !width || !height) return refuse('IMAGE_PROCESS_FAILED')
  const ratio = Math.max(width, height) / Math.min(width, height)
  if (width + height > LIMITS.photoSides || ratio > LIMITS.photoRatio)
    refuse('PHOTO_INVALID_DIMENSIONS')
}
