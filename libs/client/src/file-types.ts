import type { NewUpload } from './resources.ts'

const MIME_TYPES: Record<string, NewUpload['mimeType']> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** The type of a file by the ending of its name. Throws a `TypeError` for one that Herald does not take. */
export function mimeTypeOf(fileName: string): NewUpload['mimeType'] {
  const ending = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()
  const mimeType = Object.hasOwn(MIME_TYPES, ending) ? MIME_TYPES[ending] : undefined
  if (mimeType === undefined)
    throw new TypeError(`The type of ${fileName} is not known. Give its bytes with a mimeType.`)
  return mimeType
}
