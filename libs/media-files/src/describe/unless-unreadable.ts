/**
 * What a part of a description says, or null when it fails. A file that passed all checks may still hold something
 * that one library cannot read; the description then does without that part.
 */
export async function unlessUnreadable<T>(part: () => Promise<T>): Promise<T | null> {
  try {
    return await part()
  } catch {
    return null
  }
}
