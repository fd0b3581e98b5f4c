const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters as people see them. */
export function graphemes(text: string): number {
  return [...segmenter.segment(text)].length
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
