import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PictureFacts } from './inspection.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** A picture in a file. */
export type PictureFile = PictureFacts & { path: string; sizeBytes: number }

const STARTS = {
  'image/jpeg': { extension: 'jpg', start: /^\xff\xd8\xff/ },
  'image/png': { extension: 'png', start: /^\x89PNG\r\n/ },
  'image/webp': { extension: 'webp', start: /^RIFF[^]{4}WEBP/ },
  'image/gif': { extension: 'gif', start: /^GIF8[79]a/ },
} as const

/**
 * Writes a picture that a worker made into a new file of the folder. Throws `UnreadableFile` when the bytes do not even
 * begin as such a picture does.
 */
export async function savePicture<Facts extends PictureFacts>(
  folder: string,
  facts: Facts,
  bytes: Buffer,
): Promise<Facts & { path: string; sizeBytes: number }> {
  const { extension, start } = STARTS[facts.mimeType]
  if (!start.test(bytes.toString('latin1', 0, 16))) {
    throw new UnreadableFile('This file cannot be read.')
  }
  const path = join(folder, `${randomUUID()}.${extension}`)
  await writeFile(path, bytes, { flag: 'wx' })
  return { ...facts, path, sizeBytes: bytes.length }
}
