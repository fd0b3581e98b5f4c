const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The number of characters as a person sees them: an emoji of a family is one. */
export function countGraphemes(text: string): number {
  // Most texts are plain ASCII, where every character but CR LF is a grapheme of its own.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length
  let count = 0
  for (const _ of segmenter.segment(text)) count += 1
  return count
}

/** The length in UTF-8 bytes. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Whether there is nothing to see: only white space and characters without width. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cf}\p{Cc}\u2800\u3164\u115f\u1160]*$/u.test(text)
}
