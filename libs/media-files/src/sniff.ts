import { fileTypeFromFile } from 'file-type'
import { isMediaType, type MediaType } from './inspection.ts'
import { UnreadableFile } from './unreadable-file.ts'

/**
 * What the first bytes of a file say. Office files may look like any other of their container here; which document
 * it is, or whether it is one, is said by who reads documents.
 */
export type Sniffed = { mimeType: MediaType | Container; isAnimatedPng: boolean }

type Container = (typeof CONTAINERS)[number]

const CONTAINERS = ['application/x-cfb', 'application/zip'] as const

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

/** Tells whether a type is one that documents hide in. */
export function isContainer(mimeType: string): mimeType is Container {
  return CONTAINERS.some((container) => container === mimeType)
}

/** The refusal of a file of a type that Herald does not take. */
export function notSupported(): UnreadableFile {
  return new UnreadableFile('This type of file is not supported.')
}
