import { cleanText } from './clean-text.ts'
import type { FileFacts } from '../inspection.ts'
import { officeText } from './office-text.ts'
import { pdfText } from './pdf-text.ts'
import { counted, sentence } from './shape-words.ts'
import { unlessUnreadable } from './unless-unreadable.ts'

const MAX_TEXT = 700

type Kind = {
  name: string
  part: string
  text: (path: string, stepMs: number) => Promise<string | null>
}

const NO_TEXT = async () => null

const KINDS: Record<string, Kind> = {
  'application/pdf': { name: 'PDF document', part: 'page', text: pdfText },
  'application/msword': { name: 'Word document', part: 'page', text: NO_TEXT },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    name: 'Word document',
    part: 'page',
    text: (path) => officeText(path, 'word/document.xml'),
  },
  'application/vnd.ms-powerpoint': {
    name: 'PowerPoint presentation',
    part: 'slide',
    text: NO_TEXT,
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    name: 'PowerPoint presentation',
    part: 'slide',
    text: (path) => officeText(path, 'ppt/slides/slide1.xml'),
  },
}
const UNKNOWN: Kind = { name: 'document', part: 'page', text: NO_TEXT }

/** Says what a document is: its kind, how many pages or slides it has, and its first words. */
export async function describeDocument(
  path: string,
  facts: FileFacts,
  stepMs: number,
): Promise<string> {
  const { name, part, text } = KINDS[facts.mimeType] ?? UNKNOWN
  const pages = counted(facts.pages ?? 0, part)
  const first = cleanText((await unlessUnreadable(() => text(path, stepMs))) ?? '', MAX_TEXT)
  const whatItIs = sentence(pages === null ? name : `${name} with ${pages}`)
  return first === '' ? whatItIs : `${whatItIs} It begins: “${first}”`
}
