import { entitiesOf } from './entities.ts'

export const MAX_CHARACTERS = 500
export const CHARACTERS_PER_URL = 23

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The length that the limit is about: every link is 23, and the host of a mention does not count. */
export function statusLength(spoilerText: string, text: string): number {
  const counted = entitiesOf(text).map((entity) => {
    if (entity.kind === 'link') return 'x'.repeat(CHARACTERS_PER_URL)
    return entity.kind === 'mention' ? `@${entity.user}` : entity.text
  })
  return [...segmenter.segment(spoilerText + counted.join(''))].length
}
