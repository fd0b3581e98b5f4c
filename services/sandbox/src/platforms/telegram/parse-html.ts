import { refuse } from './refusals.ts'
import type { Entity } from './state.ts'

export type Parsed = { text: string; entities: Entity[] }

const TYPES: Record<string, string | undefined> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
}
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** The text and entities of Telegram's HTML. A tag that it does not know, or that is not closed, refuses the whole. */
export function parseHtml(html: string): Parsed {
  const open: { tag: string; offset: number; url: string | undefined }[] = []
  const entities: Entity[] = []
  let text = ''
  for (const part of html.matchAll(
    /<(\/?)([a-z-]*)((?:[^<>"]|"[^"]*")*)>|<|&(#?\w+);|[^<&]+|&/gi,
  )) {
    const [all, slash, name = '', attributes = '', entity] = part
    if (all === '<') wrong(`Unclosed start tag at byte offset ${offsetOf(html, part.index)}`)
    if (slash === undefined) {
      text += entity === undefined ? all : decode(entity, all)
      continue
    }
    const tag = name.toLowerCase()
    if (slash === '') {
      if (!TYPES[tag])
        wrong(`Unsupported start tag "${tag}" at byte offset ${offsetOf(html, part.index)}`)
      const url = /href="([^"]*)"/i.exec(attributes)?.[1]
      open.push({ tag, offset: text.length, url })
      continue
    }
    const started = open.pop()
    if (started?.tag !== tag)
      wrong(`Unmatched end tag at byte offset ${offsetOf(html, part.index)}`)
    const { offset, url } = started
    const type = TYPES[tag] ?? ''
    if (text.length > offset)
      entities.push({
        type,
        offset,
        length: text.length - offset,
        ...(url !== undefined && { url }),
      })
  }
  const left = open.at(-1)
  if (left) wrong(`Can't find end tag corresponding to start tag "${left.tag}"`)
  return { text, entities }
}

function decode(entity: string, all: string): string {
  const code = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(entity)
  if (!code) return NAMED[entity.toLowerCase()] ?? all
  const number = code[1] ? parseInt(code[1], 16) : Number(code[2])
  return number > 0 && number <= 0x10ffff ? String.fromCodePoint(number) : all
}

function offsetOf(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index))
}

function wrong(what: string): never {
  refuse(`can't parse entities: ${what}`)
}
