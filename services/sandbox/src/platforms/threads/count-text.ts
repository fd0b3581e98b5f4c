const LIMIT = 500
const MAX_LINKS = 5

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const isEmoji = (text: string) => /\p{RGI_Emoji}|\p{Extended_Pictographic}|\u20e3/v.test(text)

/** Whether a text has more than 500 characters, where an emoji counts as its bytes in UTF-8. */
export function isTooLong(text: string): boolean {
  const lengths = [...graphemes.segment(text)].map(({ segment }) =>
    isEmoji(segment) ? Buffer.byteLength(segment) : Array.from(segment).length,
  )
  return lengths.reduce((sum, length) => sum + length, 0) > LIMIT
}

/** Whether a text and the attached page are more than five different addresses. */
export function hasTooManyLinks(text: string, attached: string | undefined): boolean {
  const found = text.match(/\b(?:https?:\/\/|www\.)[^\s"<>]*[^\s"<>.,;:!?)\]}'’]/giu) ?? []
  return new Set([...found, ...(attached === undefined ? [] : [attached])]).size > MAX_LINKS
}
