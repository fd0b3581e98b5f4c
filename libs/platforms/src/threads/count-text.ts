const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u
const LINK = /(?:https?:\/\/|www\.)[^\s<>"]+/giu

/** The length of a text as Threads counts it: an emoji has as many characters as bytes in UTF-8. */
export function countText(text: string): number {
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length
  let count = 0
  for (const { segment } of segmenter.segment(text))
    count += EMOJI.test(segment)
      ? new TextEncoder().encode(segment).length
      : Array.from(segment).length
  return count
}

/** How many different pages a text links to, with the one that is attached. */
export function countLinks(text: string, attached: string | undefined): number {
  const links = Array.from(text.matchAll(LINK), ([link]) => link.replace(/[.,;:!?)\]}'’]+$/u, ''))
  return new Set(attached === undefined ? links : [...links, attached]).size
}
