import { UnreadableFile } from '../unreadable-file.ts'
import { COMPOUND_SIGNATURE } from './compound-file.ts'
import { NOT_A_DOCUMENT, type DocumentFacts } from './document-facts.ts'
import { inspectCompound } from './inspect-compound.ts'
import { inspectOoxml } from './inspect-ooxml.ts'
import { inspectPdf } from './inspect-pdf.ts'
import { readLimited, type LimitedFile } from './limited-file.ts'

// Documents have at most 100 MB; the allocation table of a compound file that grew is spread over all of it.
const LIMITS = { pieces: 1_000_000, bytes: 512 * 1024 * 1024 }

const ACCEPTED = new Set([
  'application/pdf',
  'application/msword',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  // Detectors by first bytes know only these of Office files.
  'application/x-cfb',
  'application/zip',
])

/**
 * Checks that a file that is said to be of a type is a whole PDF, DOC, DOCX, PPT or PPTX without anything that runs by
 * itself. Answers the type it really is, and its pages or slides where it says how many. Throws `UnreadableFile`.
 */
export async function inspectDocument(path: string, mimeType: string): Promise<DocumentFacts> {
  if (!ACCEPTED.has(mimeType)) throw new UnreadableFile(NOT_A_DOCUMENT)
  return readLimited(path, LIMITS, inspect)
}

async function inspect(file: LimitedFile): Promise<DocumentFacts> {
  if (file.size < 8) throw new UnreadableFile(NOT_A_DOCUMENT)
  const start = await file.read(0, 8)
  if (start.toString('latin1', 0, 5) === '%PDF-') return inspectPdf(file)
  if (start.toString('latin1', 0, 4) === 'PK\x03\x04') return inspectOoxml(file)
  if (start.toString('hex') === COMPOUND_SIGNATURE) return inspectCompound(file)
  throw new UnreadableFile(NOT_A_DOCUMENT)
}
