import { cutOff, tooMuch, type LimitedFile } from './limited-file.ts'

/** An entry in the directory of a compound file. */
export type CompoundEntry = {
  name: string
  isStream: boolean
  /** Whether it lies directly under the root, not within a storage. */
  isTop: boolean
  firstSector: number
  /** In bytes. */
  size: number
}

/** A compound file (MS-CFB), the container of the Office formats before 2007: storages and streams in sectors. */
export type CompoundFile = {
  entries: CompoundEntry[]
  /** The sectors of a stream put one after another. Throws `UnreadableFile` when the stream is not all there. */
  openStream: (entry: CompoundEntry) => Promise<CompoundStream>
}

export type CompoundStream = {
  /** In bytes. */
  size: number
  read: (position: number, length: number) => Promise<Buffer>
}

export const COMPOUND_SIGNATURE = 'd0cf11e0a1b11ae1'

const LAST_SPECIAL_SECTOR = 0xffff_fffa
const END_OF_CHAIN = 0xffff_fffe
const NO_ENTRY = 0xffff_ffff
const ENTRY_BYTES = 128
const MINI_SECTOR_BYTES = 64
const MAX_ENTRIES = 10_000
const MAX_SECTORS = 1_000_000
const STORAGE = 1
const STREAM = 2
const ROOT = 5

/** Reads the directory of a compound file. Throws `UnreadableFile` when its chains of sectors loop or leave the file. */
export async function openCompoundFile(file: LimitedFile): Promise<CompoundFile> {
  const header = await file.read(0, 512)
  const sectorBytes = 2 ** header.readUInt16LE(30)
  if (sectorBytes !== 512 && sectorBytes !== 4096) throw cutOff()
  const sectors = await openSectors(file, header, sectorBytes)
  const directory = await sectors.chain(
    header.readUInt32LE(48),
    (MAX_ENTRIES * ENTRY_BYTES) / sectorBytes,
  )
  const raw: Buffer[] = []
  for (const sector of directory) {
    const bytes = await sectors.read(sector, 0, sectorBytes)
    for (let at = 0; at < sectorBytes; at += ENTRY_BYTES)
      raw.push(bytes.subarray(at, at + ENTRY_BYTES))
  }
  const [root] = raw
  if (!root || root.readUInt8(66) !== ROOT) throw cutOff()
  const miniBelow = header.readUInt32LE(56)
  return {
    entries: readEntries(raw, root, sectorBytes),
    openStream: (entry) =>
      entry.size < miniBelow
        ? openMiniStream(sectors, root.readUInt32LE(116), entry)
        : openStream(sectors, entry.firstSector, entry.size),
  }
}

type Sectors = {
  bytes: number
  /** Whether the file goes as far as to a sector. */
  has: (sector: number) => boolean
  read: (sector: number, offset: number, length: number) => Promise<Buffer>
  /** All sectors from a first one on. Throws when there are more than `max`, as when they loop. */
  chain: (first: number, max: number) => Promise<number[]>
}

async function openSectors(file: LimitedFile, header: Buffer, bytes: number): Promise<Sectors> {
  // The header takes the place of one sector, also when sectors are larger than it is.
  const read = (sector: number, offset: number, length: number) =>
    file.read((sector + 1) * bytes + offset, length)
  const tables = await readTableSectors(header, bytes, (sector) => read(sector, 0, bytes))
  const next = async (sector: number) => {
    const table = tables[Math.floor(sector / (bytes / 4))]
    if (table === undefined) throw cutOff()
    return (await read(table, (sector % (bytes / 4)) * 4, 4)).readUInt32LE(0)
  }
  const chain = async (first: number, max: number) => {
    const found: number[] = []
    // A chain that is longer than the file loops.
    const most = Math.min(max, file.size / bytes)
    for (let sector = first; sector !== END_OF_CHAIN; sector = await next(sector)) {
      if (sector >= LAST_SPECIAL_SECTOR) throw cutOff()
      if (found.length >= most) throw tooMuch()
      found.push(sector)
    }
    return found
  }
  return { bytes, has: (sector) => (sector + 1) * bytes < file.size, read, chain }
}

/** The sectors of the allocation table: 109 of them are in the header, more in a chain of its own. */
async function readTableSectors(
  header: Buffer,
  sectorBytes: number,
  readSector: (sector: number) => Promise<Buffer>,
): Promise<number[]> {
  const tables: number[] = []
  const collect = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += 4) {
      const sector = bytes.readUInt32LE(at)
      if (sector < LAST_SPECIAL_SECTOR) tables.push(sector)
    }
  }
  collect(header.subarray(76))
  for (let sector = header.readUInt32LE(68); sector < LAST_SPECIAL_SECTOR;) {
    if (tables.length * (sectorBytes / 4) > MAX_SECTORS) throw tooMuch()
    const before = tables.length
    const bytes = await readSector(sector)
    collect(bytes.subarray(0, -4))
    // A sector without any entry would make no progress towards the limit.
    if (tables.length === before) throw cutOff()
    sector = bytes.readUInt32LE(sectorBytes - 4)
  }
  return tables
}

function readEntries(raw: Buffer[], root: Buffer, sectorBytes: number): CompoundEntry[] {
  const top = topEntries(raw, root)
  return raw.flatMap((bytes, index) => {
    const type = bytes.readUInt8(66)
    if (type !== STORAGE && type !== STREAM) return []
    const nameBytes = Math.min(bytes.readUInt16LE(64), 64)
    return {
      name: bytes.toString('utf16le', 0, Math.max(0, nameBytes - 2)),
      isStream: type === STREAM,
      isTop: top.has(index),
      firstSector: bytes.readUInt32LE(116),
      // Files with small sectors may have anything in the upper half of the size.
      size: sectorBytes === 512 ? bytes.readUInt32LE(120) : Number(bytes.readBigUInt64LE(120)),
    }
  })
}

/** The entries directly under the root, which are a binary tree of siblings. */
function topEntries(raw: Buffer[], root: Buffer): Set<number> {
  const found = new Set<number>()
  const waiting = [root.readUInt32LE(76)]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (index === NO_ENTRY) continue
    const entry = raw[index]
    if (!entry || found.has(index)) throw cutOff()
    found.add(index)
    waiting.push(entry.readUInt32LE(68), entry.readUInt32LE(72))
  }
  return found
}

async function openStream(sectors: Sectors, first: number, size: number): Promise<CompoundStream> {
  const count = Math.ceil(size / sectors.bytes)
  const chain = await sectors.chain(first, Math.min(count, MAX_SECTORS))
  if (chain.length < count) throw cutOff()
  if (!chain.every(sectors.has)) throw cutOff()
  const read = async (position: number, length: number) => {
    if (position + length > size) throw cutOff()
    const parts: Buffer[] = []
    for (let done = 0; done < length;) {
      const sector = chain[Math.floor((position + done) / sectors.bytes)]
      if (sector === undefined) throw cutOff()
      const offset = (position + done) % sectors.bytes
      const part = await sectors.read(
        sector,
        offset,
        Math.min(sectors.bytes - offset, length - done),
      )
      parts.push(part)
      done += part.length
    }
    return Buffer.concat(parts)
  }
  return { size, read }
}

/** Small streams are in mini sectors within the stream of the root. Only their first mini sector can be read here. */
async function openMiniStream(
  sectors: Sectors,
  rootFirst: number,
  { firstSector, size }: CompoundEntry,
): Promise<CompoundStream> {
  const start = firstSector * MINI_SECTOR_BYTES
  const root = await sectors.chain(rootFirst, MAX_SECTORS)
  const sector = root[Math.floor(start / sectors.bytes)]
  if (sector === undefined) throw cutOff()
  const read = (position: number, length: number) => {
    if (position + length > Math.min(size, MINI_SECTOR_BYTES)) throw cutOff()
    return sectors.read(sector, (start % sectors.bytes) + position, length)
  }
  return { size, read }
}

/** The stream of a name directly under the root, if there is one. Throws `UnreadableFile` when there are several. */
export function findTopStream({ entries }: CompoundFile, name: string): CompoundEntry | undefined {
  const found = entries.filter((entry) => entry.isTop && entry.isStream && entry.name === name)
  if (found.length > 1) throw cutOff()
  return found[0]
}
