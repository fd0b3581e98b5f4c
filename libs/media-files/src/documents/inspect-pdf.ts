import { UnreadableFile } from '../unreadable-file.ts'
import { NOT_A_DOCUMENT, type DocumentFacts } from './document-facts.ts'
import { cutOff, tooMuch, type LimitedFile } from './limited-file.ts'
import { countPages } from './pdf-pages.ts'
import { refuseActiveContent } from './pdf-scan.ts'

const MAX_BYTES = 100 * 1024 * 1024
const TAIL_BYTES = 2048

/**
 * Reads a PDF. All its objects are looked through, and its table may lead only to those that were. Encrypted files
 * are refused even if they open without a password, because their objects cannot be looked through.
 *
 * PDF.js is not used for this: it mends files that viewers would refuse, and a damaged table makes it reject promises
 * that nobody holds, which ends the process.
 */
export async function inspectPdf(file: LimitedFile): Promise<DocumentFacts> {
  if (file.size > MAX_BYTES) throw tooMuch()
  const bytes = await file.read(0, file.size)
  const table = findTable(bytes)
  const objects = refuseActiveContent(bytes)
  return { mimeType: 'application/pdf', pages: countPages(bytes, table, objects) }
}

/** Where the table begins, as the end of the file says it. A file without its end was cut off. */
function findTable(bytes: Buffer): number {
  if (!/^%PDF-(1\.[0-7]|2\.0)\s/.test(bytes.toString('latin1', 0, 16))) {
    throw new UnreadableFile(NOT_A_DOCUMENT)
  }
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))
  const end = tail.slice(tail.lastIndexOf('startxref'))
  const [, position] = /^startxref\s+(\d{1,10})\s+%%EOF/.exec(end) ?? []
  if (position === undefined) throw cutOff()
  return Number(position)
}
