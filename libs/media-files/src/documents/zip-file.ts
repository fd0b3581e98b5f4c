import { crc32, inflateRawSync } from 'node:zlib'
import { UnreadableFile } from '../unreadable-file.ts'
import { HAS_PASSWORD } from './document-facts.ts'
import { cutOff, tooMuch, type LimitedFile } from './limited-file.ts'

/** An entry of a ZIP file as its central directory describes it; sizes in bytes. */
export type ZipEntry = {
  name: string
  method: number
  crc: number
  compressedSize: number
  size: number
  /** Where its local header begins. */
  position: number
}

const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 0x2041

const MAX_ENTRIES = 10_000
const MAX_NAME_BYTES = 1024
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024
const MAX_TOTAL_BYTES = 1024 ** 3
const MAX_RATIO = 200

/**
 * The entries of a ZIP file by name. This reads what Office writes and nothing more, because programs differ in what
 * they make of the rest: each of these is refused with an `UnreadableFile`: bytes before, between or behind the parts
 * of the directory, 64-bit sizes, several disks, encryption, methods other than deflate, two entries of one name,
 * names that lead elsewhere, and more entries or more compression than a document can have.
 *
 * A general reader such as `yauzl` takes the last directory that it finds, prefers 64-bit fields whether or not they
 * are asked for, and reports through events of streams, some of which nobody listens to any more once one has failed.
 */
export async function readZipEntries(file: LimitedFile): Promise<Map<string, ZipEntry>> {
  const { count, start, length } = await findDirectory(file)
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY_BYTES) throw tooMuch()
  const directory = await file.read(start, length)
  const entries = new Map<string, ZipEntry>()
  const names = new Set<string>()
  let position = 0
  let total = 0
  for (let index = 0; index < count; index++) {
    const entry = readEntry(directory.subarray(position))
    position += entry.headerBytes
    total += entry.size
    // Names that differ in case only are one part of a document (ECMA-376, part 2).
    if (names.has(entry.name.toLowerCase())) throw cutOff()
    names.add(entry.name.toLowerCase())
    entries.set(entry.name, entry)
  }
  if (position !== length) throw cutOff()
  // The whole file is the measure, so that entries that share their bytes do not count as many.
  if (total > MAX_TOTAL_BYTES || total > file.size * MAX_RATIO) throw tooMuch()
  return entries
}

/** The content of an entry. Throws `UnreadableFile` when it is not what the directory says, or more than `maxBytes`. */
export async function readZipEntry(
  file: LimitedFile,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Buffer> {
  if (entry.size > maxBytes || entry.compressedSize > maxBytes) throw tooMuch()
  const header = await file.read(entry.position, LOCAL_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw cutOff()
  const nameBytes = header.readUInt16LE(26)
  const start = entry.position + LOCAL_BYTES
  const name = decodeName(await file.read(start, nameBytes))
  if (name !== entry.name || header.readUInt16LE(8) !== entry.method) throw cutOff()
  const bytes = await file.read(start + nameBytes + header.readUInt16LE(28), entry.compressedSize)
  const content = entry.method === STORED ? bytes : inflate(bytes, entry.size)
  if (content.length !== entry.size || crc32(content) !== entry.crc) throw cutOff()
  return content
}

/** The record that ends a ZIP file, with a comment of any length behind it. */
async function findDirectory(file: LimitedFile) {
  const tail = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES)
  const bytes = await file.read(file.size - tail, tail)
  for (let at = tail - END_BYTES; at >= 0; at--) {
    if (bytes.readUInt32LE(at) !== END_SIGNATURE) continue
    const commentBytes = bytes.readUInt16LE(at + 20)
    const count = bytes.readUInt16LE(at + 10)
    const length = bytes.readUInt32LE(at + 12)
    const start = bytes.readUInt32LE(at + 16)
    const isOneDisk = bytes.readUInt32LE(at + 4) === 0 && bytes.readUInt16LE(at + 8) === count
    const isExact =
      at + END_BYTES + commentBytes === tail && start + length === file.size - tail + at
    if (!isOneDisk || !isExact) throw cutOff()
    return { count, start, length }
  }
  throw cutOff()
}

function readEntry(bytes: Buffer): ZipEntry & { headerBytes: number } {
  if (bytes.readUInt32LE(0) !== ENTRY_SIGNATURE) throw cutOff()
  if (bytes.readUInt16LE(8) & ENCRYPTED) throw new UnreadableFile(HAS_PASSWORD)
  const method = bytes.readUInt16LE(10)
  const compressedSize = bytes.readUInt32LE(20)
  const size = bytes.readUInt32LE(24)
  const nameBytes = bytes.readUInt16LE(28)
  const headerBytes = ENTRY_BYTES + nameBytes + bytes.readUInt16LE(30) + bytes.readUInt16LE(32)
  const position = bytes.readUInt32LE(42)
  // The largest number says that the real one is in a 64-bit field.
  const is64Bit = [compressedSize, size, position].includes(0xffff_ffff)
  const isStoredWhole = method === STORED && compressedSize === size
  if (is64Bit || !(isStoredWhole || method === DEFLATED)) throw cutOff()
  if (nameBytes === 0 || nameBytes > MAX_NAME_BYTES || headerBytes > bytes.length) throw cutOff()
  const name = decodeName(bytes.subarray(ENTRY_BYTES, ENTRY_BYTES + nameBytes))
  refuseStrayName(name)
  const crc = bytes.readUInt32LE(16)
  return { name, method, crc, compressedSize, size, position, headerBytes }
}

function decodeName(bytes: Buffer): string {
  return bytes.toString('utf8')
}

/** Names of parts are relative paths that stay where they are. */
function refuseStrayName(name: string): void {
  const segments = name.split('/')
  const isStray =
    name.startsWith('/') ||
    /^[a-z]:/i.test(name) ||
    /[\\\0]/.test(name) ||
    segments.includes('..') ||
    segments.includes('.')
  if (isStray) throw cutOff()
}

function inflate(bytes: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) })
  } catch (error) {
    throw cutOff(error)
  }
}
