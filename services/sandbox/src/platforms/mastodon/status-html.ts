import { escapeHtml } from '../../html.ts'
import { type Entity, findEntities } from './entities.ts'
import type { Instance } from './instance.ts'

const SHOWN_OF_URL = 30
const HASHTAG = /(?<![\p{L}\p{N}_/)])[#＃]([\p{L}\p{M}\p{N}_]*[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*)/gu

/** The `content` of a status: paragraphs, with links, mentions of accounts that exist, and hashtags. */
export function statusHtml(instance: Instance, text: string): string {
  if (text.trim() === '') return ''
  const normal = text.replaceAll(/\r\n?/g, '\n')
  let linked = ''
  let done = 0
  for (const entity of findEntities(normal)) {
    linked += withHashtags(instance, normal.slice(done, entity.start))
    linked += entityHtml(instance, entity, normal.slice(entity.start, entity.end))
    done = entity.end
  }
  linked += withHashtags(instance, normal.slice(done))
  const paragraphs = linked
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll('\n', '<br />')}</p>`)
  return paragraphs.join('')
}

function entityHtml(instance: Instance, entity: Entity, shown: string): string {
  if (entity.type === 'url') return linkHtml(shown)
  const { username, domain } = entity
  const isLocal = domain === undefined || domain === instance.domain()
  const account = [...instance.state.accounts.values()].find(
    (one) => isLocal && one.username === username.toLowerCase(),
  )
  if (!account) return escapeHtml(shown)
  const url = `${instance.baseUrl()}/@${account.username}`
  return `<span class="h-card" translate="no"><a href="${escapeHtml(url)}" class="u-url mention">@<span>${account.username}</span></a></span>`
}

/** Long links are shown cut, but the whole stays in the text for those who copy it. */
function linkHtml(url: string): string {
  const prefix = /^https?:\/\/(?:www\.)?/i.exec(url)?.[0] ?? ''
  const shown = url.slice(prefix.length, prefix.length + SHOWN_OF_URL)
  const rest = url.slice(prefix.length + SHOWN_OF_URL)
  return [
    `<a href="${escapeHtml(url)}" target="_blank" rel="nofollow noopener" translate="no">`,
    `<span class="invisible">${escapeHtml(prefix)}</span>`,
    `<span class="${rest === '' ? '' : 'ellipsis'}">${escapeHtml(shown)}</span>`,
    `<span class="invisible">${escapeHtml(rest)}</span></a>`,
  ].join('')
}

function withHashtags(instance: Instance, text: string): string {
  let result = ''
  let done = 0
  for (const match of text.matchAll(HASHTAG)) {
    const name = match[1] ?? ''
    const url = `${instance.baseUrl()}/tags/${encodeURIComponent(name.toLowerCase())}`
    result += escapeHtml(text.slice(done, match.index))
    result += `<a href="${escapeHtml(url)}" class="mention hashtag" rel="tag">#<span>${escapeHtml(name)}</span></a>`
    done = match.index + match[0].length
  }
  return result + escapeHtml(text.slice(done))
}
