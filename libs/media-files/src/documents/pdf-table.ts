import { cutOff, tooMuch } from './limited-file.ts'
import { inflate, type InflateBudget } from './pdf-inflate.ts'
import { endOfStream, startOfStream } from './pdf-lexis.ts'
import {
  isName,
  numberOf,
  readNumber,
  readObjectStart,
  readValue,
  readWord,
  type PdfCursor,
  type PdfDictionary,
} from './pdf-values.ts'

/** Where an object is: at a position in the file, or as one of those in an object stream. Free ones are at 0. */
export type PdfPlace = { position: number } | { container: number; index: number }

export type PdfTable = { places: Map<number, PdfPlace>; trailer: PdfDictionary }

const MAX_SECTIONS = 1000
const MAX_PLACES = 500_000

/**
 * Reads the cross-reference table of a PDF (ISO 32000-1, 7.5.4 and 7.5.8). Each saved change may have added a section,
 * as text or as a stream, which names the section before. What the latest one says counts.
 */
export function readTable(pdf: Buffer, start: number, budget: InflateBudget): PdfTable {
  const places = new Map<number, PdfPlace>()
  const seen = new Set<number>()
  const waiting = [start]
  let trailer: PdfDictionary | undefined
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (seen.has(at)) throw cutOff()
    if (seen.add(at).size > MAX_SECTIONS) throw tooMuch()
    const section = readSection(pdf, at, places, budget)
    trailer ??= section
    // A section of text may have a stream beside it, for viewers that know streams.
    const beside = numberOf(section, 'XRefStm')
    const before = numberOf(section, 'Prev')
    if (beside !== undefined) waiting.unshift(beside)
    if (before !== undefined) waiting.push(before)
  }
  if (!trailer) throw cutOff()
  return { places, trailer }
}

/** The dictionary of a stream and its content, which may be compressed by inflate. */
export function readStream(
  cursor: PdfCursor,
  budget: InflateBudget,
): { dictionary: PdfDictionary; content: Buffer } {
  readObjectStart(cursor)
  const dictionary = readValue(cursor)
  if (!(dictionary instanceof Map) || readWord(cursor) !== 'stream') throw cutOff()
  const start = startOfStream(cursor.bytes, cursor.position)
  const content = cursor.bytes.subarray(start, endOfStream(cursor.bytes, start))
  const filter = dictionary.get('Filter') ?? []
  const [only, ...others] = Array.isArray(filter) ? filter : [filter]
  if (only === undefined) return { dictionary, content }
  if (!isName(only, 'FlateDecode') || others.length > 0) throw cutOff()
  return { dictionary, content: inflate(content, budget) }
}

type Places = Map<number, PdfPlace>

function readSection(
  pdf: Buffer,
  position: number,
  places: Places,
  budget: InflateBudget,
): PdfDictionary {
  const cursor = { bytes: pdf, position }
  if (readWord({ ...cursor }) !== 'xref') return readStreamSection(cursor, places, budget)
  readWord(cursor)
  for (let word = readWord(cursor); word !== 'trailer'; word = readWord(cursor)) {
    if (!/^\d{1,10}$/.test(word)) throw cutOff()
    readRows(cursor, Number(word), places)
  }
  const trailer = readValue(cursor)
  if (!(trailer instanceof Map)) throw cutOff()
  return trailer
}

function readRows(cursor: PdfCursor, first: number, places: Places): void {
  const count = readNumber(cursor)
  for (let index = 0; index < count; index++) {
    const position = readNumber(cursor)
    readNumber(cursor)
    const kind = readWord(cursor)
    if (kind !== 'n' && kind !== 'f') throw cutOff()
    addPlace(places, first + index, { position: kind === 'n' ? position : 0 })
  }
}

function readStreamSection(
  cursor: PdfCursor,
  places: Places,
  budget: InflateBudget,
): PdfDictionary {
  const { dictionary, content } = readStream(cursor, budget)
  const widths = numbers(dictionary, 'W')
  const [kindBytes = 0, firstBytes = 0, secondBytes = 0] = widths
  const rowBytes = kindBytes + firstBytes + secondBytes
  if (widths.length !== 3 || widths.some((width) => width < 0 || width > 6)) throw cutOff()
  if (rowBytes === 0) throw cutOff()
  const rows = unpredict(content, dictionary)
  const ranges = dictionary.has('Index') ? numbers(dictionary, 'Index') : [0, Infinity]
  let at = 0
  for (let range = 0; range + 1 < ranges.length; range += 2) {
    const [first = 0, count = 0] = ranges.slice(range)
    for (let index = 0; index < count && at + rowBytes <= rows.length; index++, at += rowBytes) {
      const row = rows.subarray(at, at + rowBytes)
      const kind = kindBytes === 0 ? 1 : row.readUIntBE(0, kindBytes)
      const one = readField(row, kindBytes, firstBytes)
      const two = readField(row, kindBytes + firstBytes, secondBytes)
      const isInside = kind === 2
      const place = isInside ? { container: one, index: two } : { position: kind === 1 ? one : 0 }
      addPlace(places, first + index, place)
    }
  }
  return dictionary
}

function readField(row: Buffer, start: number, bytes: number): number {
  return bytes === 0 ? 0 : row.readUIntBE(start, bytes)
}

/** Rows may be written as their difference to the row above, after a byte that says so. */
function unpredict(content: Buffer, dictionary: PdfDictionary): Buffer {
  const written = dictionary.get('DecodeParms')
  const parameters = Array.isArray(written) ? written[0] : written
  const predictor = parameters instanceof Map ? (numberOf(parameters, 'Predictor') ?? 1) : 1
  if (predictor === 1 || !(parameters instanceof Map)) return content
  const columns = numberOf(parameters, 'Columns') ?? 1
  if (predictor < 10 || columns < 1) throw cutOff()
  const rows = Buffer.alloc(Math.floor(content.length / (columns + 1)) * columns)
  for (let row = 0; (row + 1) * columns <= rows.length; row++) {
    const kind = content.readUInt8(row * (columns + 1))
    if (kind !== 0 && kind !== 2) throw cutOff()
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column
      const above = kind === 2 && row > 0 ? (rows[at - columns] ?? 0) : 0
      rows[at] = (content[row * (columns + 1) + 1 + column] ?? 0) + above
    }
  }
  return rows
}

function addPlace(places: Places, object: number, place: PdfPlace): void {
  if (places.size >= MAX_PLACES) throw tooMuch()
  if (!places.has(object)) places.set(object, place)
}

function numbers(dictionary: PdfDictionary, key: string): number[] {
  const value = dictionary.get(key)
  if (!Array.isArray(value)) throw cutOff()
  return value.map((item) => (typeof item === 'number' && Number.isInteger(item) ? item : -1))
}
