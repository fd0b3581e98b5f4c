import { parseHtml, type Parsed } from './parse-html.ts'
import { parseMarkdown } from './parse-markdown.ts'
import { refuse } from './refusals.ts'

/** A text or caption as it will be shown; it is counted in UTF-16 units after what formats it is taken away. */
export function readText(
  text: unknown,
  parseMode: unknown,
  limit: number,
  tooLong: string,
): Parsed {
  const parsed = trim(parse(wordOf(text), wordOf(parseMode)))
  if (parsed.text.length > limit) refuse(tooLong)
  return parsed
}

function parse(text: string, parseMode: string): Parsed {
  switch (parseMode.toLowerCase()) {
    case '':
      return { text, entities: [] }
    case 'html':
      return parseHtml(text)
    case 'markdownv2':
      return parseMarkdown(text)
    default:
      return refuse('unsupported parse_mode')
  }
}

/** What is neither a text nor a number is as good as absent. */
function wordOf(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : ''
}

/** White space at the ends is not kept. */
function trim({ text, entities }: Parsed): Parsed {
  const shift = text.length - text.trimStart().length
  return {
    text: text.trim(),
    entities: entities.map((entity) => ({ ...entity, offset: Math.max(0, entity.offset - shift) })),
  }
}
