import { cutOff, tooMuch } from './limited-file.ts'
import { decodeName, endOfRegular, NAME, OPEN_STRING, skipSpace, skipString } from './pdf-lexis.ts'

/** A value in a PDF, as far as tables and pages need it: strings and words are null. */
export type PdfValue = null | number | PdfName | PdfReference | PdfValue[] | PdfDictionary
export type PdfDictionary = Map<string, PdfValue>
type PdfName = { name: string }
/** The number of another object. */
type PdfReference = { object: number }

/** A place to read at, which moves on. */
export type PdfCursor = { bytes: Buffer; position: number }

const MAX_DEPTH = 32
const MAX_ITEMS = 200_000

/** Reads the value at the cursor. Throws `UnreadableFile` when there is none, or more of it than any real one has. */
export function readValue(cursor: PdfCursor): PdfValue {
  return readAt(cursor, { items: MAX_ITEMS }, 0)
}

/** Reads the word at the cursor: regular characters only, perhaps none. */
export function readWord(cursor: PdfCursor): string {
  const start = skipSpace(cursor.bytes, cursor.position)
  cursor.position = endOfRegular(cursor.bytes, start)
  if (cursor.position - start > 32) throw cutOff()
  return cursor.bytes.toString('latin1', start, cursor.position)
}

/** Reads a whole number that is not negative. */
export function readNumber(cursor: PdfCursor): number {
  const word = readWord(cursor)
  if (!/^\d{1,15}$/.test(word)) throw cutOff()
  return Number(word)
}

/** Reads `12 0 obj`, with which an object begins. */
export function readObjectStart(cursor: PdfCursor): void {
  readNumber(cursor)
  readNumber(cursor)
  if (readWord(cursor) !== 'obj') throw cutOff()
}

/** The number that a dictionary has under a key, or undefined. */
export function numberOf(dictionary: PdfDictionary, key: string): number | undefined {
  const value = dictionary.get(key)
  return typeof value === 'number' ? value : undefined
}

export function isReference(value: PdfValue | undefined): value is PdfReference {
  return typeof value === 'object' && value !== null && 'object' in value
}

export function isName(value: PdfValue | undefined, name: string): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === name
}

type Left = { items: number }

function readAt(cursor: PdfCursor, left: Left, depth: number): PdfValue {
  if (depth > MAX_DEPTH || --left.items < 0) throw tooMuch()
  const { bytes } = cursor
  const start = skipSpace(bytes, cursor.position)
  cursor.position = start
  const opening = bytes.toString('latin1', start, start + 2)
  if (opening === '<<') return readDictionary(cursor, left, depth)
  if (opening.startsWith('[')) return readArray(cursor, left, depth)
  if (opening.startsWith('<')) return skipHexadecimal(cursor)
  if (bytes[start] === NAME) return { name: readName(cursor) }
  if (bytes[start] === OPEN_STRING) {
    cursor.position = skipString(bytes, start)
    return null
  }
  return readNumberOrReference(cursor)
}

function readDictionary(cursor: PdfCursor, left: Left, depth: number): PdfDictionary {
  const dictionary: PdfDictionary = new Map()
  cursor.position += 2
  while (!closes(cursor, '>>')) {
    if (cursor.bytes[cursor.position] !== NAME) throw cutOff()
    const key = readName(cursor)
    dictionary.set(key, readAt(cursor, left, depth + 1))
  }
  return dictionary
}

function readArray(cursor: PdfCursor, left: Left, depth: number): PdfValue[] {
  const items: PdfValue[] = []
  cursor.position += 1
  while (!closes(cursor, ']')) items.push(readAt(cursor, left, depth + 1))
  return items
}

/** Whether what was opened ends here; if so, the cursor moves behind its end. */
function closes(cursor: PdfCursor, closing: string): boolean {
  const { bytes } = cursor
  cursor.position = skipSpace(bytes, cursor.position)
  const end = cursor.position + closing.length
  if (end > bytes.length) throw cutOff()
  if (bytes.toString('latin1', cursor.position, end) !== closing) return false
  cursor.position = end
  return true
}

function readName(cursor: PdfCursor): string {
  const start = cursor.position + 1
  cursor.position = endOfRegular(cursor.bytes, start)
  return decodeName(cursor.bytes, start, cursor.position)
}

function skipHexadecimal(cursor: PdfCursor): null {
  const end = cursor.bytes.indexOf('>', cursor.position)
  if (end < 0) throw cutOff()
  cursor.position = end + 1
  return null
}

/** `12` is a number, `12 0 R` refers to an object. Other words, such as `true`, do not matter here. */
function readNumberOrReference(cursor: PdfCursor): PdfValue {
  const word = readWord(cursor)
  if (word === '') throw cutOff()
  if (!/^\d{1,10}$/.test(word)) return /^[+-]?\d*\.?\d+$/.test(word) ? Number(word) : null
  const text = cursor.bytes.toString('latin1', cursor.position, cursor.position + 24)
  const [reference] = /^[\s\0]+\d{1,5}[\s\0]+R(?![^\s\0()<>[\]{}/%])/.exec(text) ?? []
  if (reference === undefined) return Number(word)
  cursor.position += reference.length
  return { object: Number(word) }
}
