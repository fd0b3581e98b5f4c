import { UnreadableFile } from '../unreadable-file.ts'
import {
  findTopStream,
  openCompoundFile,
  type CompoundEntry,
  type CompoundFile,
} from './compound-file.ts'
import { HAS_MACROS, HAS_PASSWORD, NOT_A_DOCUMENT, type DocumentFacts } from './document-facts.ts'
import { cutOff, type LimitedFile } from './limited-file.ts'
import { hasPowerPointMacros } from './powerpoint-macros.ts'

const MACRO_STORAGES = new Set(['macros', 'vba', '_vba_project', '_vba_project_cur'])

const WORD_SIGNATURE = 0xa5ec
const WORD_ENCRYPTED = 0x0100
const POWERPOINT_ENCRYPTED = 0xf3d1c4df

/** Reads a Word or PowerPoint file of the years before 2007. How many pages it has is not read. */
export async function inspectCompound(file: LimitedFile): Promise<DocumentFacts> {
  const compound = await openCompoundFile(file)
  refuseMacros(compound)
  if (findTopStream(compound, 'EncryptedPackage')) throw new UnreadableFile(HAS_PASSWORD)
  const word = findTopStream(compound, 'WordDocument')
  const powerPoint = findTopStream(compound, 'PowerPoint Document')
  if (word && !powerPoint) {
    await checkWord(compound, word)
    return { mimeType: 'application/msword', pages: null }
  }
  if (powerPoint && !word) {
    await checkPowerPoint(compound, powerPoint)
    return { mimeType: 'application/vnd.ms-powerpoint', pages: null }
  }
  throw new UnreadableFile(NOT_A_DOCUMENT)
}

/** Documents within the document count as well, so storages of every depth are looked at. */
function refuseMacros({ entries }: CompoundFile): void {
  if (entries.some(({ name }) => MACRO_STORAGES.has(name.toLowerCase()))) {
    throw new UnreadableFile(HAS_MACROS)
  }
}

/** The stream begins with the File Information Block (MS-DOC 2.5.1). */
async function checkWord(compound: CompoundFile, entry: CompoundEntry): Promise<void> {
  const stream = await compound.openStream(entry)
  const start = await stream.read(0, 32)
  if (start.readUInt16LE(0) !== WORD_SIGNATURE) throw cutOff()
  if (start.readUInt16LE(10) & WORD_ENCRYPTED) throw new UnreadableFile(HAS_PASSWORD)
}

/** The stream `Current User` says whether the other one is encrypted (MS-PPT 2.3.2). */
async function checkPowerPoint(compound: CompoundFile, entry: CompoundEntry): Promise<void> {
  const userEntry = findTopStream(compound, 'Current User')
  if (!userEntry) throw cutOff()
  const user = await (await compound.openStream(userEntry)).read(0, 16)
  if (user.readUInt32LE(12) === POWERPOINT_ENCRYPTED) throw new UnreadableFile(HAS_PASSWORD)
  const stream = await compound.openStream(entry)
  if (await hasPowerPointMacros(stream)) throw new UnreadableFile(HAS_MACROS)
}
