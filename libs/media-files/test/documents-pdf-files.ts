import { deflateSync } from 'node:zlib'

/** Writes PDF files object by object, so that each of them can be wrong. */

export type PdfOptions = {
  /** Pages in the tree. */
  pages: number
  /** What the page tree claims to have, if it lies. */
  count: number
  /** More of the catalog's dictionary. */
  catalog: string
  /** More objects, numbered from 100 on. */
  objects: (string | Buffer)[]
  /** More of the trailer's dictionary. */
  trailer: string
  version: string
}

/** A PDF with a table as PDF 1.4 has it. */
export function pdf(options: Partial<PdfOptions> = {}): Buffer {
  const { version = '1.4', objects = [], trailer = '' } = options
  const parts = [Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1')]
  const positions = new Map<number, number>()
  let length = parts[0]!.length
  const add = (number: number, body: string | Buffer) => {
    positions.set(number, length)
    const part = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(body as string, 'latin1'),
      Buffer.from('\nendobj\n'),
    ])
    parts.push(part)
    length += part.length
  }
  for (const [number, body] of tree(options)) add(number, body)
  objects.forEach((body, index) => add(100 + index, body))
  const rows = [...positions].map(
    ([number, position]) => `${number} 1\n${String(position).padStart(10, '0')} 00000 n \n`,
  )
  const table = `xref\n0 1\n0000000000 65535 f \n${rows.join('')}`
  const size = 100 + objects.length
  const end = `trailer\n<</Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(table + end, 'latin1')])
}

function tree({ pages = 3, count = pages, catalog = '' }: Partial<PdfOptions>): [number, string][] {
  const kids = Array.from({ length: pages }, (_, index) => `${10 + index} 0 R`)
  return [
    [1, `<</Type /Catalog /Pages 2 0 R ${catalog}>>`],
    [2, `<</Type /Pages /Count ${count} /Kids [${kids.join(' ')}]>>`],
    ...kids.map((_, index): [number, string] => [
      10 + index,
      '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>',
    ]),
  ]
}

/** A stream with its dictionary. */
export function stream(dictionary: string, content: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${dictionary} /Length ${content.length}>>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ])
}

/** A stream of objects, compressed. */
export function objectStream(objects: string[], dictionary = '/Type /ObjStm'): Buffer {
  let position = 0
  const offsets = objects.map((object, index) => {
    const offset = `${200 + index} ${position}`
    position += object.length + 1
    return offset
  })
  const head = `${offsets.join(' ')} `
  const content = deflateSync(Buffer.from(head + objects.join(' ')))
  return stream(
    `${dictionary} /N ${objects.length} /First ${head.length} /Filter /FlateDecode`,
    content,
  )
}

export type CompressedOptions = {
  pages: number
  /** Whether the rows of the table are written as their difference to the row above. */
  isPredicted: boolean
  /** More of the table. */
  rows: Buffer
}

/** A PDF whose objects are all in an object stream, with a table that is a stream, as PDF 1.5 has it. */
export function compressedPdf(options: Partial<CompressedOptions> = {}): Buffer {
  const { pages = 3, isPredicted = false } = options
  const objects = tree({ pages }).map(([number, body]) => ({ number, body }))
  const bodies: string[] = []
  const heads: string[] = []
  let at = 0
  for (const { number, body } of objects) {
    heads.push(`${number} ${at}`)
    bodies.push(body)
    at += body.length + 1
  }
  const head = `${heads.join(' ')} `
  const header = Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')
  const content = deflateSync(Buffer.from(head + bodies.join(' ')))
  const dictionary = `/Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode`
  const container = Buffer.concat([
    Buffer.from('50 0 obj\n'),
    stream(dictionary, content),
    Buffer.from('\nendobj\n'),
  ])
  const tablePosition = header.length + container.length
  const rows = Array.from({ length: 52 }, (_, number) => {
    const index = objects.findIndex((object) => object.number === number)
    if (index >= 0) return [2, 0, 50, index]
    if (number === 50) return [1, header.length >> 8, header.length & 255, 0]
    if (number === 51) return [1, tablePosition >> 8, tablePosition & 255, 0]
    return [0, 0, 0, 255]
  })
  const written = isPredicted
    ? rows.map((row, index) => [2, ...row.map((byte, at) => byte - (rows[index - 1]?.[at] ?? 0))])
    : rows
  const parameters = isPredicted ? '/DecodeParms <</Predictor 12 /Columns 4>>' : ''
  const table = stream(
    `/Type /XRef /Size 52 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode ${parameters}`,
    deflateSync(Buffer.concat([Buffer.from(written.flat()), options.rows ?? Buffer.alloc(0)])),
  )
  const end = `\nendobj\nstartxref\n${tablePosition}\n%%EOF\n`
  return Buffer.concat([header, container, Buffer.from('51 0 obj\n'), table, Buffer.from(end)])
}

/** Another section of the table, behind a whole PDF, as a viewer appends it that saves changes. */
export function updatedPdf(file: Buffer, number: number, body: string, trailer?: string): Buffer {
  const before = /startxref\n(\d+)/.exec(file.toString('latin1'))?.[1]
  const object = `${number} 0 obj\n${body}\nendobj\n`
  const row = `${String(file.length).padStart(10, '0')} 00000 n \n`
  const table = `xref\n${number} 1\n${row}trailer\n<</Root 1 0 R ${trailer ?? `/Prev ${before}`}>>\n`
  const end = `startxref\n${file.length + object.length}\n%%EOF\n`
  return Buffer.concat([file, Buffer.from(object + table + end, 'latin1')])
}
