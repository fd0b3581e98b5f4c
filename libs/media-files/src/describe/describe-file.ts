import type { Inspection } from '../inspection.ts'

/** A sentence on what a file shows, or null. */
export async function describeFile(_path: string, _facts: Inspection): Promise<string | null> {
  return null
}
