import { withoutHosts } from './shorten-for-count.ts'

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/**
 * The text of a status's HTML. Mastodon writes a long link as several spans of which only one is shown; together
 * their texts are the whole address.
 */
export function textOfHtml(html: string): string {
  return html
    .replace(/<br[^<>]*>/gi, '\n')
    .replace(/<\/p>\s*<p[^<>]*>/gi, '\n\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, decode)
}

/** A text in the form in which what was sent and what an instance shows are alike: white space and hosts aside. */
export function sameForm(text: string): string {
  return withoutHosts(text.normalize('NFC'))
    .replace(/\p{White_Space}+/gu, ' ')
    .trim()
}

/** The letters and digits of a text: what is left when an instance reads it as Markdown. */
export function onlyLetters(text: string): string {
  return withoutHosts(text.normalize('NFC')).replace(/[^\p{L}\p{N}]+/gu, '')
}

function decode(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
  const code = decimal !== undefined ? Number(decimal) : parseInt(hex ?? '', 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity
}
