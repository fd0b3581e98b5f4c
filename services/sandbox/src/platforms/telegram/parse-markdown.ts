import type { Parsed } from './parse-html.ts'
import { refuse } from './refusals.ts'
import type { Entity } from './state.ts'

/** The longest marks first: what begins with another one. */
const MARKS: [string, string][] = [
  ['```', 'pre'],
  ['`', 'code'],
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['_', 'italic'],
  ['*', 'bold'],
  ['~', 'strikethrough'],
]
const RESERVED = '_*[]()~`>#+-=|{}.!'
const LINK = /!?\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^)\\])*)\)/y
const LANGUAGE = /[a-z0-9_+-]*\n/iy

type Reading = {
  source: string
  at: number
  text: string
  entities: Entity[]
  open: { mark: string; type: string; offset: number; at: number }[]
}

/** The text and entities of MarkdownV2. A reserved character that is neither a mark nor escaped refuses the whole. */
export function parseMarkdown(source: string): Parsed {
  const reading: Reading = { source, at: 0, text: '', entities: [], open: [] }
  while (reading.at < source.length)
    if (!readEscaped(reading) && !readMark(reading) && !readLink(reading)) readCharacter(reading)
  const left = reading.open.at(-1)
  if (left)
    refuse(
      `can't parse entities: Can't find end of the entity starting at byte offset ${Buffer.byteLength(source.slice(0, left.at))}`,
    )
  return { text: reading.text, entities: reading.entities }
}

function readEscaped(reading: Reading): boolean {
  const next = reading.source.charAt(reading.at + 1)
  if (reading.source[reading.at] !== '\\' || !/[\x21-\x7e]/.test(next)) return false
  reading.text += next
  reading.at += 2
  return true
}

/** The same mark begins and ends. Within code only its own end is a mark. */
function readMark(reading: Reading): boolean {
  const { source, at, open, text } = reading
  const last = open.at(-1)
  const [mark, type] =
    MARKS.find(([one]) => source.startsWith(one, at) && (!isCode(reading) || one === last?.mark)) ??
    []
  if (mark === undefined || type === undefined) return false
  reading.at += mark.length
  if (last?.mark !== mark) {
    open.push({ mark, type, offset: text.length, at })
    if (type === 'pre') reading.at += matchAt(LANGUAGE, source, reading.at)?.[0].length ?? 0
    return true
  }
  open.pop()
  const length = text.length - last.offset
  if (length > 0) reading.entities.push({ type, offset: last.offset, length })
  return true
}

function readLink(reading: Reading): boolean {
  const link = isCode(reading) ? null : matchAt(LINK, reading.source, reading.at)
  if (!link) return false
  const [all, label = '', url = ''] = link
  const { text } = parseMarkdown(label)
  const { length: offset } = reading.text
  reading.entities.push({ type: 'text_link', offset, length: text.length, url })
  reading.text += text
  reading.at += all.length
  return true
}

/** At the beginning of a line `>` is a quotation. */
function readCharacter(reading: Reading): void {
  const { source, at } = reading
  const character = source.charAt(at)
  const isQuote = character === '>' && (at === 0 || source[at - 1] === '\n')
  if (!isCode(reading) && !isQuote && RESERVED.includes(character))
    refuse(
      `can't parse entities: Character '${character}' is reserved and must be escaped with the preceding '\\'`,
    )
  if (!isQuote) reading.text += character
  reading.at += 1
}

function isCode({ open }: Reading): boolean {
  const type = open.at(-1)?.type
  return type === 'code' || type === 'pre'
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
