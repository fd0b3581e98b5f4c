/** A part of a text that X makes a short link of. */
export type Link = { start: number; end: number; url: string }

/** Some of the top-level domains; a name under another one stays text. */
const DOMAINS =
  'com|org|net|edu|gov|io|dev|app|info|biz|xyz|online|site|blog|news|co|me|tv|ai|ly|de|uk|fr|es|it|nl|be|ch|at|eu|se|no|dk|pl|us|ca|jp|cn|kr|in|br|mx|ru|au|nz|рф'

const LINK = new RegExp(
  `(?<![\\p{L}\\p{N}@#$_.\\-/])(?:https?://)?(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]*[\\p{L}\\p{N}])?\\.)+(?:${DOMAINS})(?![\\p{L}\\p{N}@_-])(?:\\.(?:${DOMAINS})(?![\\p{L}\\p{N}@_-]))*(?::\\d+)?(?:/[^\\s]*|\\?[^\\s]+)?`,
  'giu',
)

/** The links of a text in their order. Punctuation at the end belongs to the sentence. */
export function findLinks(text: string): Link[] {
  return [...text.matchAll(LINK)].map((match) => {
    const url = withoutEnd(match[0])
    return { start: match.index, end: match.index + url.length, url }
  })
}

function withoutEnd(url: string): string {
  const shorter = url.replace(/[.,!?;:'"]+$/, '')
  const isOpen = shorter.endsWith(')') && !shorter.includes('(')
  return isOpen ? withoutEnd(shorter.slice(0, -1)) : shorter
}
