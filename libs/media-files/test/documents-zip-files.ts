import { crc32, deflateRawSync } from 'node:zlib'

/** Writes ZIP files and the Office documents in them, so that each of their fields can be wrong. */

export type ZipPart = {
  name: string
  content: string | Buffer
  stored?: boolean
  /** Fields of the central directory that say something else. */
  flags?: number
  size?: number
  compressedSize?: number
  localName?: string
  method?: number
}

export function zip(
  parts: ZipPart[],
  end: Partial<{ count: number; comment: Buffer; gap: Buffer }> = {},
): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let position = 0
  for (const part of parts) {
    const content = Buffer.from(part.content as string)
    const data = part.stored ? content : deflateRawSync(content)
    const name = Buffer.from(part.name)
    const localName = Buffer.from(part.localName ?? part.name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(part.flags ?? 0, 2)
    fields.writeUInt16LE(part.method ?? (part.stored ? 0 : 8), 4)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(part.compressedSize ?? data.length, 14)
    fields.writeUInt32LE(part.size ?? content.length, 18)
    fields.writeUInt16LE(localName.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, localName, data])
    fields.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(position, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, rest, name)
    locals.push(local)
    position += local.length
  }
  return Buffer.concat([
    ...locals,
    end.gap ?? Buffer.alloc(0),
    ...endOf(directory, position, parts.length, end),
  ])
}

function endOf(
  directory: Buffer[],
  position: number,
  count: number,
  end: Partial<{ count: number; comment: Buffer }>,
): Buffer[] {
  const entries = Buffer.concat(directory)
  const record = Buffer.alloc(22)
  record.write('PK\x05\x06', 'latin1')
  record.writeUInt16LE(end.count ?? count, 8)
  record.writeUInt16LE(end.count ?? count, 10)
  record.writeUInt32LE(entries.length, 12)
  record.writeUInt32LE(position, 16)
  record.writeUInt16LE(end.comment?.length ?? 0, 20)
  return [entries, record, end.comment ?? Buffer.alloc(0)]
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const KINDS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const FORMATS = 'application/vnd.openxmlformats-officedocument'

export const DOCX_MAIN = `${FORMATS}.wordprocessingml.document.main+xml`
export const PPTX_MAIN = `${FORMATS}.presentationml.presentation.main+xml`

export function contentTypes(overrides: Record<string, string>): string {
  const rows = Object.entries(overrides).map(
    ([part, type]) => `<Override PartName="${part}" ContentType="${type}"/>`,
  )
  const relationships = 'application/vnd.openxmlformats-package.relationships+xml'
  const defaults = `<Default Extension="rels" ContentType="${relationships}"/><Default Extension="xml" ContentType="application/xml"/>`
  return `${XML}<Types xmlns="${TYPES}">${defaults}${rows.join('')}</Types>`
}

export function relationship(kind: string, target: string, mode = 'External'): string {
  return `<Relationship Id="r${kind}" Type="${KINDS}/${kind}" Target="${target}" TargetMode="${mode}"/>`
}

export function relationships(...rows: string[]): string {
  return `${XML}<Relationships xmlns="${RELATIONSHIPS}">${rows.join('')}</Relationships>`
}

/** The parts of a Word document of four pages, of which some may be replaced or left out. */
export function docxParts(replaced: Record<string, string | Buffer | undefined> = {}): ZipPart[] {
  return parts({
    '[Content_Types].xml': contentTypes({ '/word/document.xml': DOCX_MAIN }),
    '_rels/.rels': relationships(relationship('officeDocument', 'word/document.xml', 'Internal')),
    'word/document.xml': `${XML}<w:document xmlns:w="urn:w"><w:body/></w:document>`,
    'docProps/app.xml': `${XML}<Properties><Pages>4</Pages></Properties>`,
    ...replaced,
  })
}

/** The parts of a presentation of seven slides. */
export function pptxParts(replaced: Record<string, string | Buffer | undefined> = {}): ZipPart[] {
  return parts({
    '[Content_Types].xml': contentTypes({ '/ppt/presentation.xml': PPTX_MAIN }),
    '_rels/.rels': relationships(
      relationship('officeDocument', '/ppt/presentation.xml', 'Internal'),
    ),
    'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="urn:p"/>`,
    'docProps/app.xml': `${XML}<Properties><Slides>7</Slides></Properties>`,
    ...replaced,
  })
}

function parts(contents: Record<string, string | Buffer | undefined>): ZipPart[] {
  return Object.entries(contents).flatMap(([name, content]) =>
    content === undefined ? [] : [{ name, content }],
  )
}
