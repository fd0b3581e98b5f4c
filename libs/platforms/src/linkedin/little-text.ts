/** Characters that mean something to LinkedIn. */
const SPECIAL = /[|{}@[\]()<>#\\*_~]/g

/**
 * A plain text in LinkedIn's "little text". A special character would mean something there, or cut the text off, so it
 * is escaped; the `#` of a hashtag is not, and LinkedIn makes a link of it.
 */
export function littleText(text: string): string {
  return text.replace(SPECIAL, (found, at: number) =>
    found === '#' && isHashtag(text, at) ? found : `\\${found}`,
  )
}

/** The plain text of a little text. LinkedIn may answer a hashtag as a template and a mention with its name. */
export function plainText(little: string): string {
  return little
    .replace(/\{hashtag\|\\?#\|([^{}|]*)\}/g, '#$1')
    .replace(/@\[([^[\]]*)\]\(urn:[^()]*\)/g, '@$1')
    .replace(/\\([|{}@[\]()<>#\\*_~])/g, '$1')
}

function isHashtag(text: string, at: number): boolean {
  const isApart = !/[\p{L}\p{N}&#]$/u.test(text.slice(Math.max(0, at - 2), at))
  return isApart && /^[\p{L}\p{N}]/u.test(text.slice(at + 1, at + 3))
}
