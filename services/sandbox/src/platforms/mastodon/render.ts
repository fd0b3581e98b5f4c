import { escapeHtml } from '../../html.ts'
import { type Entity, entitiesOf } from './entities.ts'

const SHOWN_OF_LINK = 30

export type Instance = {
  url: string
  /** The page of an account of this instance; undefined where there is none of that name. */
  profileUrl: (user: string) => string | undefined
}

/** A status as the HTML that Mastodon answers: paragraphs, line breaks, links shortened for the eye but whole. */
export function renderStatus(text: string, instance: Instance): string {
  if (text === '') return ''
  const html = entitiesOf(text).map((entity) => renderEntity(entity, instance))
  const paragraphs = html.join('').replaceAll('\r\n', '\n').split(/\n\n+/)
  return paragraphs.map((lines) => `<p>${lines.replaceAll('\n', '<br />')}</p>`).join('')
}

function renderEntity(entity: Entity, { url, profileUrl }: Instance): string {
  switch (entity.kind) {
    case 'text':
      return escapeHtml(entity.text)
    case 'link':
      return renderLink(entity.text)
    case 'hashtag':
      return `<a href="${url}/tags/${encodeURIComponent(entity.tag.toLowerCase())}" class="mention hashtag" rel="tag">#<span>${escapeHtml(entity.tag)}</span></a>`
    case 'mention': {
      const profile = entity.host === undefined ? profileUrl(entity.user) : undefined
      return profile === undefined
        ? escapeHtml(entity.text)
        : `<span class="h-card" translate="no"><a href="${escapeHtml(profile)}" class="u-url mention">@<span>${escapeHtml(entity.user)}</span></a></span>`
    }
  }
}

function renderLink(link: string): string {
  const prefix = /^https?:\/\/(?:www\.)?/i.exec(link)?.[0] ?? ''
  const rest = link.slice(prefix.length)
  const ellipsis = rest.length > SHOWN_OF_LINK ? 'ellipsis' : ''
  const hidden = rest.slice(SHOWN_OF_LINK)
  return `<a href="${escapeHtml(link)}" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">${escapeHtml(prefix)}</span><span class="${ellipsis}">${escapeHtml(rest.slice(0, SHOWN_OF_LINK))}</span><span class="invisible">${escapeHtml(hidden)}</span></a>`
}
