import { cutOff } from './limited-file.ts'

/** An element's start: its name without a namespace prefix, and its attributes. */
export type XmlTag = { name: string; attributes: Map<string, string> }

const TAG = /<(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g
const ASIDES = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/**
 * The text of an XML part, which must be UTF-8 and have no declarations: a document type is how entities that name
 * files and addresses come in, and Office refuses one as well. Comments and processing instructions are left out.
 */
export function readXml(bytes: Buffer): string {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const [declaration = ''] = /^<\?xml[^>]*\?>/.exec(text) ?? []
  const [, encoding = 'utf-8'] = /encoding\s*=\s*["']([^"']*)/i.exec(declaration) ?? []
  const plain = withoutAsides(text)
  const isUtf8 = /^(utf-?8|us-ascii)$/i.test(encoding) && !/[\0\uFFFD]/.test(text)
  if (!isUtf8 || plain.includes('<!') || !plain.trimStart().startsWith('<')) throw cutOff()
  return plain
}

/** Without comments and processing instructions. A pattern would look for the end of each of them again and again. */
function withoutAsides(text: string): string {
  let plain = ''
  let position = 0
  for (let start = text.indexOf('<'); start >= 0; start = text.indexOf('<', start + 1)) {
    const ending = ASIDES.find(([opening]) => text.startsWith(opening, start))?.[1]
    if (ending === undefined) continue
    const end = text.indexOf(ending, start + 2)
    if (end < 0) throw cutOff()
    plain += text.slice(position, start)
    position = end + ending.length
    start = position - 1
  }
  return plain + text.slice(position)
}

/** The tags of an XML text that start an element, in their order. */
export function* xmlTags(text: string): Generator<XmlTag> {
  for (const [, name = '', attributes = ''] of text.matchAll(TAG)) {
    yield { name, attributes: readAttributes(attributes) }
  }
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single = ''] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name, decodeReferences(double ?? single))
  }
  return attributes
}

function decodeReferences(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return NAMED[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      if (code > 0x10ffff) throw cutOff()
      return String.fromCodePoint(code)
    },
  )
}
