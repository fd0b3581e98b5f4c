/** How the text is formatted; plain when nothing is given. */
export type ParseMode = 'HTML' | 'MarkdownV2' | undefined

/**
 * A text as people see it, without what formats it: Telegram counts it so. Formatting that is wrong is refused by
 * Telegram, not here.
 */
export function plainText(text: string, parseMode: ParseMode): string {
  switch (parseMode) {
    case 'HTML':
      return withoutTags(text)
    case 'MarkdownV2':
      return withoutMarks(text)
    case undefined:
      return text
  }
}

const ENTITY = /&(?:lt|gt|amp|quot|#\d{1,7}|#x[0-9a-f]{1,6});/gi

/** An entity becomes one character, or two for those beyond the first 65,536. */
function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '').replace(ENTITY, (entity) => {
    const [, hex, decimal] = /^&#(?:x([0-9a-f]+)|(\d+));$/i.exec(entity) ?? []
    const code = hex ? parseInt(hex, 16) : Number(decimal ?? 0)
    return code > 0xffff ? 'xx' : 'x'
  })
}

/** Marks are characters that are not escaped; of a link its text is seen. */
function withoutMarks(markdown: string): string {
  return markdown
    .replace(/\\[\x21-\x7e]/g, '\u0001')
    .replace(/```[a-z0-9_+-]*\n?/gi, '')
    .replace(/!?\[([^\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^(?:\*\*)?>/gm, '')
    .replace(/[*_~|`]/g, '')
}
