import { getResolvedPDFJS } from 'unpdf'
import { UnreadableFile } from '../unreadable-file.ts'
import { HAS_PASSWORD, NOT_A_DOCUMENT, type DocumentFacts } from './document-facts.ts'
import { cutOff, tooMuch, type LimitedFile } from './limited-file.ts'
import { refuseActiveContent } from './pdf-scan.ts'

const MAX_BYTES = 100 * 1024 * 1024
const MAX_PAGES = 10_000
const TAIL_BYTES = 2048

/**
 * Reads a PDF. It is first looked through for what is refused, and then given to PDF.js, which follows the tables that
 * viewers follow: the two see each other's blind spots. Encrypted files are refused even if they open without a
 * password, because their objects cannot be looked through.
 */
export async function inspectPdf(file: LimitedFile): Promise<DocumentFacts> {
  if (file.size > MAX_BYTES) throw tooMuch()
  const bytes = await file.read(0, file.size)
  checkEnds(bytes)
  refuseActiveContent(bytes)
  return { mimeType: 'application/pdf', pages: await countPages(bytes) }
}

/** A viewer mends a file without its end as well as it can; here it was cut off. */
function checkEnds(bytes: Buffer): void {
  if (!/^%PDF-(1\.[0-7]|2\.0)\s/.test(bytes.toString('latin1', 0, 16))) {
    throw new UnreadableFile(NOT_A_DOCUMENT)
  }
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))
  const end = tail.slice(tail.lastIndexOf('startxref'))
  const [, position] = /^startxref\s+(\d{1,10})\s+%%EOF/.exec(end) ?? []
  if (position === undefined) throw cutOff()
  const table = bytes.toString('latin1', Number(position), Number(position) + 40)
  if (!/^\s*(xref\s|\d+\s+\d+\s+obj)/.test(table)) throw cutOff()
}

/** Takes the bytes over: they are gone afterwards. PDF.js 5 evaluates no code, so there is nothing to switch off. */
async function countPages(bytes: Buffer): Promise<number> {
  const { getDocument } = await getResolvedPDFJS()
  const task = getDocument({
    data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    verbosity: 0,
    stopAtErrors: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
  })
  try {
    const pdf = await task.promise
    if (await runsByItself(pdf)) {
      throw new UnreadableFile('The PDF holds scripts or other files, which are not accepted.')
    }
    if (pdf.numPages < 1) throw cutOff()
    if (pdf.numPages > MAX_PAGES) throw tooMuch()
    await pdf.getPage(1)
    return pdf.numPages
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new UnreadableFile(HAS_PASSWORD, { cause: error })
    }
    throw cutOff(error)
  } finally {
    await task.destroy()
  }
}

type Pdf = Awaited<
  ReturnType<Awaited<ReturnType<typeof getResolvedPDFJS>>['getDocument']>['promise']
>

async function runsByItself(pdf: Pdf): Promise<boolean> {
  const [actions, attachments, opening] = await Promise.all([
    pdf.getJSActions(),
    pdf.getAttachments(),
    pdf.getOpenAction(),
  ])
  return Boolean(actions ?? attachments ?? opening?.action)
}
