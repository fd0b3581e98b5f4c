import { z } from 'zod'
import { stat } from 'node:fs/promises'
import { inThread } from './in-thread.ts'

/** A PDF file is read as a whole; larger ones are described without their words. */
const MAX_BYTES = 30 * 1024 * 1024
const SCRIPT = new URL('./pdf-text-thread.ts', import.meta.url)

/** The first text of a PDF file; null when it has none, is locked or damaged, is too large or takes longer than `stepMs`. */
export async function pdfText(path: string, stepMs: number): Promise<string | null> {
  if ((await stat(path)).size > MAX_BYTES) return null
  const text = z.string().safeParse(await inThread(SCRIPT, path, stepMs))
  return text.success ? text.data : null
}
