import { cutOff, tooMuch } from './limited-file.ts'
import { inflateBudget, type InflateBudget } from './pdf-inflate.ts'
import { readStream, readTable, type PdfTable } from './pdf-table.ts'
import {
  isReference,
  numberOf,
  readNumber,
  readObjectStart,
  readValue,
  type PdfDictionary,
  type PdfValue,
} from './pdf-values.ts'

const MAX_PAGES = 10_000
const MAX_NODES = 2 * MAX_PAGES
const MAX_CONTAINERS = 16

type Reader = PdfTable & {
  pdf: Buffer
  budget: InflateBudget
  /** Object streams that were inflated, the latest ones. */
  containers: Map<number, ReturnType<typeof readStream>>
}

/**
 * Counts the pages of a PDF in its page tree, which begins with the table at `start`. Throws `UnreadableFile` when the
 * tree is damaged or loops, or when the table leads to an object that is not in `objects`, the ends of the keywords
 * `obj` that were looked at: one that is hidden in a text, a comment or a stream.
 */
export function countPages(pdf: Buffer, start: number, objects: Set<number>): number {
  const budget = inflateBudget()
  const table = readTable(pdf, start, budget)
  refuseHiddenObjects(pdf, table, objects)
  const reader = { ...table, pdf, budget, containers: new Map() }
  const catalog = requireDictionary(reader, table.trailer.get('Root'))
  const waiting: (PdfValue | undefined)[] = [catalog.get('Pages')]
  const seen = new Set<number>()
  let pages = 0
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (!isReference(node) || seen.has(node.object)) throw cutOff()
    if (seen.add(node.object).size > MAX_NODES) throw tooMuch()
    const dictionary = requireDictionary(reader, node)
    const kids = resolve(reader, dictionary.get('Kids'))
    if (Array.isArray(kids)) for (const kid of kids) waiting.push(kid)
    else pages++
    if (pages > MAX_PAGES) throw tooMuch()
  }
  if (pages === 0) throw cutOff()
  return pages
}

function refuseHiddenObjects(pdf: Buffer, { places }: PdfTable, objects: Set<number>): void {
  for (const place of places.values()) {
    if (!('position' in place) || place.position === 0) continue
    const cursor = { bytes: pdf, position: place.position }
    readObjectStart(cursor)
    if (!objects.has(cursor.position)) throw cutOff()
  }
}

function requireDictionary(reader: Reader, value: PdfValue | undefined): PdfDictionary {
  const found = resolve(reader, value)
  if (!(found instanceof Map)) throw cutOff()
  return found
}

/** The value itself, or the object that it refers to. An object that is a reference again is none. */
function resolve(reader: Reader, value: PdfValue | undefined): PdfValue {
  if (!isReference(value)) return value ?? null
  const place = reader.places.get(value.object)
  if (!place) return null
  if ('container' in place) return readContained(reader, place.container, place.index)
  if (place.position === 0) return null
  const cursor = { bytes: reader.pdf, position: place.position }
  readObjectStart(cursor)
  return readValue(cursor)
}

/** An object stream begins with the number and the place of each of its objects. */
function readContained(reader: Reader, container: number, index: number): PdfValue {
  const { dictionary, content } = openContainer(reader, container)
  const first = numberOf(dictionary, 'First')
  const count = numberOf(dictionary, 'N')
  if (first === undefined || count === undefined || index >= count) throw cutOff()
  const head = { bytes: content.subarray(0, first), position: 0 }
  for (let skipped = 0; skipped < index * 2 + 1; skipped++) readNumber(head)
  return readValue({ bytes: content, position: first + readNumber(head) })
}

function openContainer(reader: Reader, container: number): ReturnType<typeof readStream> {
  const { containers, pdf, budget, places } = reader
  const opened = containers.get(container)
  if (opened) return opened
  const place = places.get(container)
  if (!place || !('position' in place) || place.position === 0) throw cutOff()
  const stream = readStream({ bytes: pdf, position: place.position }, budget)
  const [oldest] = containers.keys()
  if (containers.size === MAX_CONTAINERS && oldest !== undefined) containers.delete(oldest)
  containers.set(container, stream)
  return stream
}
