const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How many characters a person sees. */
export function countGraphemes(text: string): number {
  return [...segmenter.segment(text)].length
}
