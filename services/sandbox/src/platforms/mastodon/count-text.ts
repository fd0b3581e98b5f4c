import { countGraphemes } from '../../graphemes.ts'
import { findEntities } from './entities.ts'

const URL_COUNTS_AS = 'x'.repeat(23)

/** How long Mastodon holds a post to be: what people see of the warning and the text, a link as 23, `@user@host` as `@user`. */
export function countText(text: string, spoilerText: string): number {
  let counted = spoilerText
  let done = 0
  for (const entity of findEntities(text)) {
    counted += text.slice(done, entity.start)
    counted += entity.type === 'url' ? URL_COUNTS_AS : `@${entity.username}`
    done = entity.end
  }
  return countGraphemes(counted + text.slice(done))
}
