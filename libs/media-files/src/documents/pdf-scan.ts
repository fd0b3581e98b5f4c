import { UnreadableFile } from '../unreadable-file.ts'
import { HAS_PASSWORD } from './document-facts.ts'
import { cutOff, tooMuch } from './limited-file.ts'
import { inflate, inflateBudget, type InflateBudget } from './pdf-inflate.ts'
import {
  decodeName,
  endOfRegular,
  endOfStream,
  isRegular,
  NAME,
  OPEN_STRING,
  skipSpace,
  skipString,
  startOfStream,
} from './pdf-lexis.ts'

/**
 * Looks through all objects of a PDF, without its cross-reference table, for names that a document to be shown has no
 * need of. Text strings and comments are skipped. So is what streams hold, but for object streams, which hold more
 * objects, and streams with objects in the open, which only a viewer that mends a file would find.
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

const FLATE = new Set(['FlateDecode', 'Fl'])
const OTHER_FILTERS = new Set([
  'ASCIIHexDecode',
  'ASCII85Decode',
  'LZWDecode',
  'RunLengthDecode',
  'CCITTFaxDecode',
  'JBIG2Decode',
  'DCTDecode',
  'JPXDecode',
  'Crypt',
  'AHx',
  'A85',
  'LZW',
  'RL',
])

/** Names by which a stream is known to hold objects, and how it is compressed. */
const STREAM_NAMES = new Set(['ObjStm', 'N', 'First', 'Predictor', ...FLATE, ...OTHER_FILTERS])

const MAX_OBJECTS = 500_000
const MAX_NAMES = 5_000_000

type Scan = {
  /** Where the keyword of each object ends. */
  objects: Set<number>
  names: number
  budget: InflateBudget
}

/**
 * Throws `UnreadableFile` when the PDF holds scripts, other files or actions on programs, or is encrypted or a bomb.
 * Returns where the keywords `obj` of its objects end: an object that is elsewhere was not looked at.
 */
export function refuseActiveContent(pdf: Buffer): Set<number> {
  refuseEncryption(pdf)
  const scan: Scan = { objects: new Set(), names: 0, budget: inflateBudget() }
  scanObjects(pdf, scan, true)
  return scan.objects
}

/** Looked for first, because nothing else of an encrypted file makes sense. */
function refuseEncryption(pdf: Buffer): void {
  const key = '/Encrypt'
  for (let at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
    if (!isRegular(pdf[at + key.length])) throw new UnreadableFile(HAS_PASSWORD)
  }
}

function scanObjects(bytes: Buffer, scan: Scan, isFile: boolean): void {
  let names = new Set<string>()
  let position = skipSpace(bytes, 0)
  for (; position < bytes.length; position = skipSpace(bytes, position)) {
    const byte = bytes[position]
    if (byte === OPEN_STRING) position = skipString(bytes, position)
    else if (byte === NAME) {
      const start = position + 1
      position = endOfRegular(bytes, start)
      scanName(decodeName(bytes, start, position), names, scan)
    } else if (isRegular(byte)) {
      const start = position
      position = endOfRegular(bytes, position)
      if (!isFile) continue
      if (isWord(bytes, start, position, 'obj')) {
        names = new Set()
        scan.objects.add(position)
        if (scan.objects.size > MAX_OBJECTS) throw tooMuch()
      } else if (isWord(bytes, start, position, 'stream')) {
        position = scanStream(bytes, position, names, scan)
      }
    } else position++
  }
}

function scanName(name: string, names: Set<string>, scan: Scan): void {
  if (++scan.names > MAX_NAMES) throw tooMuch()
  const refusal = REFUSALS.get(name)
  if (refusal !== undefined) throw new UnreadableFile(refusal)
  if (STREAM_NAMES.has(name)) names.add(name)
}

/** Returns where the stream ends whose keyword ends at `keywordEnd`; `names` are those of its dictionary. */
function scanStream(bytes: Buffer, keywordEnd: number, names: Set<string>, scan: Scan): number {
  const start = startOfStream(bytes, keywordEnd)
  const end = endOfStream(bytes, start)
  const content = bytes.subarray(start, end)
  refuseOpenObjects(content)
  // Its type need not be given, but these two must.
  const isObjectStream = names.has('ObjStm') || (names.has('N') && names.has('First'))
  if (isObjectStream) scanObjects(decode(content, names, scan), scan, false)
  return end
}

function refuseOpenObjects(content: Buffer): void {
  for (let at = content.indexOf('obj'); at >= 0; at = content.indexOf('obj', at + 3)) {
    const around = content.toString('latin1', Math.max(0, at - 12), at + 4)
    if (/\d[\s\0]+\d+[\s\0]+obj[^\w]/.test(around)) throw cutOff()
  }
}

/** The content of an object stream, which writers compress in one way or not at all. */
function decode(content: Buffer, names: Set<string>, scan: Scan): Buffer {
  const isOtherwise = [...names].some((name) => OTHER_FILTERS.has(name))
  // Rows of a table are predicted from each other, objects never.
  if (isOtherwise || names.has('Predictor')) throw cutOff()
  return [...names].some((name) => FLATE.has(name)) ? inflate(content, scan.budget) : content
}

function isWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  return end - start === word.length && bytes.toString('latin1', start, end) === word
}
