import { UnreadableFile } from '../unreadable-file.ts'
import { HAS_MACROS, NOT_A_DOCUMENT, type DocumentFacts } from './document-facts.ts'
import { cutOff, tooMuch, type LimitedFile } from './limited-file.ts'
import { mainPartName, refuseOutsideTargets } from './ooxml-relationships.ts'
import { readXml, xmlTags } from './xml-part.ts'
import { readZipEntries, readZipEntry, type ZipEntry } from './zip-file.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

const CONTENT_TYPES = '[Content_Types].xml'
const ROOT_RELATIONSHIPS = '_rels/.rels'
const PROPERTIES = 'docProps/app.xml'

// A thousand slides take about 200 kB of content types.
const MAX_PART_BYTES = 4 * 1024 * 1024
const MAX_RELATIONSHIPS_BYTES = 64 * 1024 * 1024
const MAX_MAIN_BYTES = 64 * 1024 * 1024

type Part = (name: string, maxBytes?: number) => Promise<Buffer>

/**
 * Reads a DOCX or PPTX file (ECMA-376): what its content types say that its main part is counts, and not the names of
 * its parts. Pages or slides are what the program noted that saved it.
 */
export async function inspectOoxml(file: LimitedFile): Promise<DocumentFacts> {
  const entries = await readZipEntries(file)
  const part: Part = (name, maxBytes = MAX_PART_BYTES) => {
    const entry = entries.get(name)
    if (!entry) throw new UnreadableFile(NOT_A_DOCUMENT)
    return readZipEntry(file, entry, maxBytes)
  }
  const contentTypes = readContentTypes(readXml(await part(CONTENT_TYPES)))
  refuseMacros([...entries.keys()], contentTypes)
  const main = mainPartName(readXml(await part(ROOT_RELATIONSHIPS)))
  const mimeType = mainType(contentTypes.typeOf(main))
  checkMainPart(await part(main, MAX_MAIN_BYTES), mimeType === DOCX ? 'document' : 'presentation')
  await checkRelationships(entries, part)
  if (!entries.has(PROPERTIES)) return { mimeType, pages: null }
  const properties = readXml(await part(PROPERTIES))
  return { mimeType, pages: readCount(properties, mimeType === DOCX ? 'Pages' : 'Slides') }
}

type ContentTypes = { all: string[]; typeOf: (part: string) => string | undefined }

/** A part has the type that is noted for it, else the one of its extension. */
function readContentTypes(text: string): ContentTypes {
  const byPart = new Map<string, string>()
  const byExtension = new Map<string, string>()
  for (const { name, attributes } of xmlTags(text)) {
    const type = attributes.get('ContentType')?.trim()
    const key = attributes.get(name === 'Override' ? 'PartName' : 'Extension')?.toLowerCase()
    if ((name !== 'Override' && name !== 'Default') || !type || !key) continue
    const types = name === 'Override' ? byPart : byExtension
    if (types.has(key)) throw cutOff()
    types.set(key, type)
  }
  return {
    all: [...byPart.values(), ...byExtension.values()],
    typeOf: (part) => {
      const name = part.toLowerCase()
      return byPart.get(`/${name}`) ?? byExtension.get(name.slice(name.lastIndexOf('.') + 1))
    },
  }
}

function refuseMacros(names: string[], { all }: ContentTypes): void {
  const isMacro = /macroEnabled|vbaProject|vbaData/i
  if (all.some((type) => isMacro.test(type)) || names.some((name) => isMacro.test(name))) {
    throw new UnreadableFile(HAS_MACROS)
  }
}

/** Templates, slide shows, workbooks and everything else are other types. */
function mainType(type: string | undefined): typeof DOCX | typeof PPTX {
  if (type === `${DOCX}.main+xml`) return DOCX
  if (type === `${PPTX}.main+xml`) return PPTX
  throw new UnreadableFile(NOT_A_DOCUMENT)
}

/** The main part may be large, so only its first tags are read as text. */
function checkMainPart(bytes: Buffer, root: string): void {
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY')) throw cutOff()
  const start = bytes.toString('utf8', 0, 4096)
  const [first] = xmlTags(start.replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, ''))
  if (first?.name !== root) throw cutOff()
}

async function checkRelationships(entries: Map<string, ZipEntry>, part: Part): Promise<void> {
  const parts = [...entries.values()].filter(({ name }) => name.toLowerCase().endsWith('.rels'))
  const total = parts.reduce((sum, { size }) => sum + size, 0)
  if (total > MAX_RELATIONSHIPS_BYTES) throw tooMuch()
  for (const { name } of parts) refuseOutsideTargets(readXml(await part(name)))
}

function readCount(properties: string, element: string): number | null {
  const [, digits] = new RegExp(`<(?:\\w+:)?${element}>\\s*(\\d{1,6})\\s*<`).exec(properties) ?? []
  return Number(digits) || null
}
