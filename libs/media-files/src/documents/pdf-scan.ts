import { inflateSync } from 'node:zlib'
import { UnreadableFile } from '../unreadable-file.ts'
import { HAS_PASSWORD } from './document-facts.ts'
import { cutOff, tooMuch } from './limited-file.ts'

/**
 * Looks through all objects of a PDF, without its cross-reference table, for names that a document to be shown has no
 * need of. Text strings and comments are skipped. So is what streams hold, but for object streams, which hold more
 * objects, and streams with objects in the open, which only a table that lies would point at.
 */

const SCRIPTS = 'The PDF holds scripts, which are not accepted.'
const STARTS_PROGRAMS = 'The PDF starts other programs, which is not accepted.'
const HOLDS_FILES = 'The PDF holds other files, which are not accepted.'

const REFUSALS = new Map([
  ['JavaScript', SCRIPTS],
  ['JS', SCRIPTS],
  // Forms of this kind bring scripts in a stream of XML.
  ['XFA', SCRIPTS],
  ['Launch', STARTS_PROGRAMS],
  ['EmbeddedFile', HOLDS_FILES],
  ['EmbeddedFiles', HOLDS_FILES],
  ['EF', HOLDS_FILES],
  ['Encrypt', HAS_PASSWORD],
])

/** Names by which a stream is known to hold objects, and how it is compressed. */
const STREAM_NAMES = new Set(['ObjStm', 'XRef', 'N', 'First', 'Predictor'])
const FLATE = new Set(['FlateDecode', 'Fl'])
const OTHER_FILTERS = new Set(
  'ASCIIHexDecode ASCII85Decode LZWDecode RunLengthDecode CCITTFaxDecode JBIG2Decode DCTDecode JPXDecode Crypt AHx A85 LZW RL'.split(
    ' ',
  ),
)

const MAX_OBJECTS = 500_000
const MAX_INFLATED_BYTES = 32 * 1024 * 1024
const MAX_TOTAL_INFLATED_BYTES = 256 * 1024 * 1024
const MAX_NAME_BYTES = 127 * 3

const OPEN_STRING = 0x28
const CLOSE_STRING = 0x29
const ESCAPE = 0x5c
const COMMENT = 0x25
const NAME = 0x2f
const LINE_FEED = 0x0a
const RETURN = 0x0d

const REGULAR = new Uint8Array(256).fill(1)
for (const byte of Buffer.from('\0\t\n\f\r ()<>[]{}/%', 'latin1')) REGULAR[byte] = 0

type Scan = { objects: number; inflatedBytes: number }

/** Throws `UnreadableFile` when the PDF holds scripts, other files or actions on programs, or is encrypted or a bomb. */
export function refuseActiveContent(pdf: Buffer): void {
  refuseEncryption(pdf)
  scanObjects(pdf, { objects: 0, inflatedBytes: 0 }, true)
}

/** Looked for first, because nothing else of an encrypted file makes sense. */
function refuseEncryption(pdf: Buffer): void {
  const key = '/Encrypt'
  for (let at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
    if (REGULAR[pdf[at + key.length] ?? 0] === 0) throw new UnreadableFile(HAS_PASSWORD)
  }
}

function scanObjects(bytes: Buffer, scan: Scan, mayHaveStreams: boolean): void {
  let names = new Set<string>()
  let position = 0
  while (position < bytes.length) {
    const byte = bytes[position]
    if (byte === OPEN_STRING) position = skipString(bytes, position)
    else if (byte === COMMENT) position = skipComment(bytes, position)
    else if (byte === NAME) {
      const end = endOfRegular(bytes, position + 1)
      const name = checkedName(bytes, position + 1, end)
      if (STREAM_NAMES.has(name) || FLATE.has(name) || OTHER_FILTERS.has(name)) names.add(name)
      position = end
    } else if (REGULAR[byte ?? 0] === 1) {
      const start = position
      position = endOfRegular(bytes, position)
      if (isWord(bytes, start, position, 'obj')) {
        names = new Set()
        if (++scan.objects > MAX_OBJECTS) throw tooMuch()
      } else if (mayHaveStreams && isWord(bytes, start, position, 'stream')) {
        position = scanStream(bytes, position, names, scan)
      }
    } else position++
  }
}

/** Returns where the stream ends whose keyword ends at `keywordEnd`; `names` are those of its dictionary. */
function scanStream(bytes: Buffer, keywordEnd: number, names: Set<string>, scan: Scan): number {
  const isReturn = bytes[keywordEnd] === RETURN
  const start = keywordEnd + (isReturn ? (bytes[keywordEnd + 1] === LINE_FEED ? 2 : 1) : 1)
  const end = bytes.indexOf('endstream', start, 'latin1')
  if (end < 0) throw cutOff()
  const content = bytes.subarray(start, end)
  refuseOpenObjects(content)
  // Its type need not be given, but these two must.
  const isObjectStream = names.has('ObjStm') || (names.has('N') && names.has('First'))
  if (isObjectStream) scanObjects(decode(content, names, scan), scan, false)
  else if (names.has('XRef')) decode(content, names, scan)
  return end
}

function refuseOpenObjects(content: Buffer): void {
  for (let at = content.indexOf('obj'); at >= 0; at = content.indexOf('obj', at + 3)) {
    const around = content.toString('latin1', Math.max(0, at - 12), at + 4)
    if (/\d[\s\0]+\d+[\s\0]+obj[^\w]/.test(around)) throw cutOff()
  }
}

/** The content of an object stream or cross-reference stream, which writers compress in one way or not at all. */
function decode(content: Buffer, names: Set<string>, scan: Scan): Buffer {
  const isOtherwise = [...names].some((name) => OTHER_FILTERS.has(name))
  // Rows are predicted from each other in tables, never in objects.
  if (isOtherwise || (names.has('Predictor') && !names.has('XRef'))) throw cutOff()
  if (![...names].some((name) => FLATE.has(name))) return content
  const inflated = inflate(content)
  scan.inflatedBytes += inflated.length
  if (scan.inflatedBytes > MAX_TOTAL_INFLATED_BYTES) throw tooMuch()
  return inflated
}

function inflate(content: Buffer): Buffer {
  try {
    return inflateSync(content, { maxOutputLength: MAX_INFLATED_BYTES })
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooMuch() : cutOff(error)
  }
}

/** A name, in which any character may be written as `#` and two hexadecimal digits. */
function checkedName(bytes: Buffer, start: number, end: number): string {
  if (end - start > MAX_NAME_BYTES) return ''
  const written = bytes.toString('latin1', start, end)
  const name = written.includes('#') ? written.replaceAll(/#([0-9a-f]{2})/gi, decodeByte) : written
  const refusal = REFUSALS.get(name)
  if (refusal !== undefined) throw new UnreadableFile(refusal)
  return name
}

function decodeByte(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}

/** Strings may hold balanced parentheses; others have a backslash in front. */
function skipString(bytes: Buffer, start: number): number {
  let depth = 0
  for (let position = start; position < bytes.length; position++) {
    const byte = bytes[position]
    if (byte === ESCAPE) position++
    else if (byte === OPEN_STRING) depth++
    else if (byte === CLOSE_STRING && --depth === 0) return position + 1
  }
  throw cutOff()
}

function skipComment(bytes: Buffer, start: number): number {
  let position = start
  while (position < bytes.length) {
    const byte = bytes[position]
    if (byte === LINE_FEED || byte === RETURN) break
    position++
  }
  return position
}

function endOfRegular(bytes: Buffer, start: number): number {
  let end = start
  while (end < bytes.length && REGULAR[bytes[end] ?? 0] === 1) end++
  return end
}

function isWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  return end - start === word.length && bytes.toString('latin1', start, end) === word
}
