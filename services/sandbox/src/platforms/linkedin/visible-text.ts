import { refuseField } from './refusals.ts'

const SPECIAL = '|{}@[]()<>#\\*_~'

/**
 * The text that people see of a little text. Only a hashtag, a mention and a template of a hashtag may have special characters
 * that are not escaped; after any other one the real LinkedIn cuts the text off, so it is refused here.
 */
export function visibleText(commentary: string): string {
  let text = ''
  let rest = commentary
  while (rest !== '') {
    const template = /^\{hashtag\|\\?#\|([^{}|]+)\}/.exec(rest)
    const mention = /^@\[([^\]]+)\]\(urn:li:\w+:[\w-]+\)/.exec(rest)
    const escaped = /^\\([|{}@[\]()<>#\\*_~])/.exec(rest)
    const hashtag = /^#[\p{L}\p{N}]/u.exec(rest)
    const found = template ?? mention ?? escaped ?? hashtag
    const [first = ''] = rest
    if (!found && SPECIAL.includes(first))
      refuseField('INVALID_VALUE_FOR_FIELD', 'commentary', `has ${first} that is not escaped`)
    if (template) text += `#${template[1] ?? ''}`
    else text += (mention ?? escaped)?.[1] ?? found?.[0] ?? first
    rest = rest.slice((found?.[0] ?? first).length)
  }
  return text
}
