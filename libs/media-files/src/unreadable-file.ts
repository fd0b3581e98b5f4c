/**
 * A file is not what it should be, or cannot be read to its end. The message is a sentence for the person who sent the
 * file; it names no path and no library.
 */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}
