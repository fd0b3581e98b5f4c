import type { Readable } from 'node:stream'
import { type Entry, open, type ZipFile } from 'yauzl'

/** The parts of a real document number dozens to hundreds. */
const MAX_ENTRIES = 5_000
/** So much of the main part is unpacked at most, which is many pages of text. */
const MAX_XML_BYTES = 512 * 1024

/**
 * The first text of a Word or PowerPoint file, which is a zip archive, from the part of that name. Null when the file
 * has no such part; throws when it is no readable archive.
 */
export async function officeText(path: string, partName: string): Promise<string | null> {
  const archive = await openArchive(path)
  try {
    const part = await findPart(archive, partName)
    return part && textOfXml(await firstBytes(await openPart(archive, part)))
  } finally {
    archive.close()
  }
}

/** The text of WordprocessingML or DrawingML, which stands in `w:t` and `a:t`, with a space after each paragraph. */
export function textOfXml(xml: string): string {
  const runs = xml.matchAll(/<[aw]:t(?: [^<>]*)?>([^<]*)|<\/[aw]:p>|<[aw]:(?:br|tab)\b/g)
  return [...runs].map(([, run]) => (run === undefined ? ' ' : plain(run))).join('')
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (all, ...found) => {
    const [decimal, hex, name]: (string | undefined)[] = found
    if (name !== undefined) return ENTITIES[name] ?? all
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

function openArchive(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false }, (error, archive) =>
      error ? reject(error) : resolve(archive),
    )
  })
}

function findPart(archive: ZipFile, name: string): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    let seen = 0
    archive.on('error', reject)
    archive.on('end', () => resolve(null))
    archive.on('entry', (entry: Entry) => {
      seen += 1
      if (entry.fileName === name) resolve(entry)
      else if (seen === MAX_ENTRIES) resolve(null)
      else archive.readEntry()
    })
    archive.readEntry()
  })
}

function openPart(archive: ZipFile, part: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    archive.openReadStream(part, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
}

/** The beginning of a stream; the rest is never unpacked. */
async function firstBytes(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes: Buffer = chunk
    chunks.push(bytes)
    size += bytes.length
    if (size >= MAX_XML_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
