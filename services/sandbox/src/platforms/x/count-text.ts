import { findLinks } from './links.ts'

const LINK_WEIGHS = 23
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How long X holds a text to be: a link is 23, an emoji 2, and so is a character outside of these ranges. */
export function countText(given: string): number {
  const text = given.normalize('NFC')
  const links = findLinks(text)
  let weight = links.length * LINK_WEIGHS
  let done = 0
  for (const { start, end } of [...links, { start: text.length, end: text.length }]) {
    for (const { segment } of segmenter.segment(text.slice(done, start)))
      weight += weightOf(segment)
    done = end
  }
  return weight
}

function weightOf(grapheme: string): number {
  if (/^\p{RGI_Emoji}$/v.test(grapheme)) return 2
  return Array.from(grapheme).reduce((sum, one) => sum + (isLight(one) ? 1 : 2), 0)
}

function isLight(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return (
    code <= 0x10ff ||
    (code >= 0x2000 && code <= 0x200d) ||
    (code >= 0x2010 && code <= 0x201f) ||
    (code >= 0x2032 && code <= 0x2037)
  )
}
