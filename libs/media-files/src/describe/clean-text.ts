/** Longest description of a file, in UTF-16 units. */
export const MAX_DESCRIPTION = 1_000

/**
 * Makes text from an unknown source fit to be stored and shown: well-formed Unicode on one line, without control and
 * other invisible characters, at most `maxLength` UTF-16 units. Longer text ends at a word, with an ellipsis.
 */
export function cleanText(text: string, maxLength: number): string {
  const readable = text
    // However long the text is, and though much of it may be dropped, the work is bounded.
    .slice(0, maxLength * 20)
    .replaceAll(/\p{Zs}|\p{Zl}|\p{Zp}|[\t\n\v\f\r]/gu, ' ')
    // Half a surrogate pair, control and format characters (such as those that turn the direction of text), private use.
    .replaceAll(/[\p{Cs}\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return readable.length <= maxLength ? readable : cutAtWord(readable, maxLength)
}

function cutAtWord(text: string, maxLength: number): string {
  const head = text.slice(0, maxLength - 1)
  const space = head.lastIndexOf(' ')
  const hasWordEnd = space > maxLength / 2 && text[maxLength - 1] !== ' '
  const cut = hasWordEnd ? head.slice(0, space) : head
  // The cut may have gone through a surrogate pair.
  return `${cut.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`
}
