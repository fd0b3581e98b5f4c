/** Writes compound files (the container of DOC and PPT), so that each of their fields can be wrong. */

export type Part = {
  name: string
  content?: Buffer
  /** Parts of a storage. */
  parts?: Part[]
}

const SECTOR = 512
const FREE = 0xffffffff
const END = 0xfffffffe

type Entry = {
  name: string
  type: number
  child: number
  right: number
  content: Buffer | undefined
}

/** A compound file whose small streams are in the mini stream; the table of its sectors, which nothing reads, is missing. */
export function compoundFile(parts: Part[], sectorBytes = SECTOR): Buffer {
  const entries: Entry[] = [
    { name: 'Root Entry', type: 5, child: FREE, right: FREE, content: undefined },
  ]
  addSiblings(entries, 0, parts)
  const fat: number[] = []
  const sectors: Buffer[] = []
  const place = (content: Buffer) => {
    const first = sectors.length
    for (let at = 0; at < content.length; at += sectorBytes) {
      sectors.push(padded(content.subarray(at, at + sectorBytes), sectorBytes))
      fat.push(at + sectorBytes < content.length ? sectors.length : END)
    }
    return content.length === 0 ? END : first
  }
  const mini: Buffer[] = []
  const starts = entries.map(({ content }) => {
    if (!content) return END
    if (content.length >= 4096) return place(content)
    const first = Buffer.concat(mini).length / 64
    mini.push(padded(content, Math.ceil(content.length / 64) * 64))
    return first
  })
  const miniContent = Buffer.concat(mini)
  starts[0] = place(miniContent)
  const directory = entries.map((entry, index) =>
    directoryEntry(
      entry,
      starts[index]!,
      index === 0 ? miniContent.length : (entry.content?.length ?? 0),
    ),
  )
  const directoryStart = place(Buffer.concat(directory))
  return Buffer.concat([...assemble(fat, sectors, directoryStart, sectorBytes)])
}

function assemble(
  fat: number[],
  sectors: Buffer[],
  directoryStart: number,
  sectorBytes: number,
): Buffer[] {
  // The table covers its own sectors too, and the sector that lists those for which the header has no room.
  const count = Math.ceil((fat.length + 1) / (sectorBytes / 4 - 1))
  const table = Buffer.alloc(count * sectorBytes, 0xff)
  const first = sectors.length
  const marks = Array.from({ length: count }, () => 0xfffffffd)
  ;[...fat, ...marks].forEach((value, index) => table.writeUInt32LE(value, index * 4))
  const header = Buffer.alloc(sectorBytes, 0)
  const list = Buffer.alloc(sectorBytes, 0xff)
  header.write('d0cf11e0a1b11ae1', 'hex')
  header.writeUInt16LE(0x3e, 24)
  header.writeUInt16LE(sectorBytes === SECTOR ? 3 : 4, 26)
  header.writeUInt16LE(0xfffe, 28)
  header.writeUInt16LE(Math.log2(sectorBytes), 30)
  header.writeUInt16LE(6, 32)
  header.writeUInt32LE(count, 44)
  header.writeUInt32LE(directoryStart, 48)
  header.writeUInt32LE(4096, 56)
  header.writeUInt32LE(END, 60)
  header.writeUInt32LE(count > 109 ? first + count : END, 68)
  header.fill(0xff, 76, 512)
  list.writeUInt32LE(END, sectorBytes - 4)
  for (let index = 0; index < count; index++) {
    if (index < 109) header.writeUInt32LE(first + index, 76 + index * 4)
    else list.writeUInt32LE(first + index, (index - 109) * 4)
  }
  return [header, ...sectors, table, ...(count > 109 ? [list] : [])]
}

/** Where the allocation table begins, to damage it. */
export function tablePosition(file: Buffer): number {
  return (file.readUInt32LE(76) + 1) * SECTOR
}

/** Where the directory begins. */
export function directoryPosition(file: Buffer): number {
  return (file.readUInt32LE(48) + 1) * SECTOR
}

function addSiblings(entries: Entry[], parent: number, parts: Part[]): void {
  let before: Entry | undefined
  for (const { name, content, parts: children } of parts) {
    const index = entries.length
    const entry = { name, type: children ? 1 : 2, child: FREE, right: FREE, content }
    entries.push(entry)
    if (before) before.right = index
    else entries[parent]!.child = index
    before = entry
    if (children) addSiblings(entries, index, children)
  }
}

function directoryEntry({ name, type, child, right }: Entry, start: number, size: number): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(name, 0, 'utf16le')
  bytes.writeUInt16LE((name.length + 1) * 2, 64)
  bytes.writeUInt8(type, 66)
  bytes.writeUInt32LE(FREE, 68)
  bytes.writeUInt32LE(right, 72)
  bytes.writeUInt32LE(child, 76)
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}

function padded(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length)])
}

/** The stream `WordDocument`, of a size in bytes. */
export function wordStream({ size = 5000, flags = 0 } = {}): Part {
  const content = Buffer.alloc(size)
  content.writeUInt16LE(0xa5ec, 0)
  content.writeUInt16LE(flags, 10)
  return { name: 'WordDocument', content }
}

/** A record of a presentation. */
export function record(type: number, ...payload: Buffer[]): Buffer {
  const body = Buffer.concat(payload)
  const header = Buffer.alloc(8)
  header.writeUInt16LE(0xf, 0)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(body.length, 4)
  return Buffer.concat([header, body])
}

/** The streams of a presentation. */
export function powerPointStreams(records: Buffer[] = [], token = 0xe391c05f): Part[] {
  const user = Buffer.alloc(40)
  user.writeUInt32LE(token, 12)
  const document = Buffer.concat([record(0x03e8, record(0x03e9, Buffer.alloc(40)), ...records)])
  const rest = record(0x03ee, Buffer.alloc(5000))
  return [
    { name: 'Current User', content: user },
    { name: 'PowerPoint Document', content: Buffer.concat([document, rest]) },
  ]
}
