/** The text that a search looks through, in lower case. Compatibility forms are one: a full-width letter is found by a plain one. */
export function searchTextOf(parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null)
    .map(folded)
    .join('\n')
}

/** The words of a question, each once, as patterns for `like`; every one must be found. */
export function patternsOf(question: string): string[] {
  const words = folded(question)
    .split(/\s+/u)
    .filter((word) => word !== '')
  return [...new Set(words)].map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
