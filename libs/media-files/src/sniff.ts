import { fileTypeFromFile } from 'file-type'
import { isMediaType, type MediaType } from './inspection.ts'
import { UnreadableFile } from './unreadable-file.ts'

/**
 * What the first bytes of a file say. Office files of before 2007 all look alike here, `application/x-cfb`; which one
 * it is, is said by who reads documents.
 */
export type Sniffed = { mimeType: MediaType | 'application/x-cfb'; isAnimatedPng: boolean }

// Names of the same things that Herald does not use.
const SAME_AS: Readonly<Record<string, MediaType>> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
}

/** The type of a file by its content; name and declared type play no part. Throws `UnreadableFile` for all others. */
export async function sniff(path: string): Promise<Sniffed> {
  const found = (await fileTypeFromFile(path))?.mime
  const mimeType = found && (SAME_AS[found] ?? found)
  if (!mimeType || !(isMediaType(mimeType) || mimeType === 'application/x-cfb'))
    throw notSupported()
  return { mimeType, isAnimatedPng: found === 'image/apng' }
}

/** The refusal of a file of a type that Herald does not take. */
export function notSupported(): UnreadableFile {
  return new UnreadableFile('This type of file is not supported.')
}
