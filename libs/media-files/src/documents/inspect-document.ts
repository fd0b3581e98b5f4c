import { UnreadableFile } from '../unreadable-file.ts'

/** The real type and number of pages of a document. */
export async function inspectDocument(
  _path: string,
  _mimeType: string,
): Promise<{ mimeType: string; pages: number | null }> {
  throw new UnreadableFile('Documents cannot be read yet.')
}
