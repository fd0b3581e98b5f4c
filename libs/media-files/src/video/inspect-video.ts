import { UnreadableFile } from '../unreadable-file.ts'

/** The real type, size in pixels and length of a video. */
export async function inspectVideo(_path: string): Promise<{
  mimeType: string
  width: number
  height: number
  durationSeconds: number
}> {
  throw new UnreadableFile('Videos cannot be read yet.')
}
