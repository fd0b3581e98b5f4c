import { escapeHtml, htmlPage } from './html.ts'
import type { LivePost } from './platform.ts'

/** The public page of a post. */
export function postPage(name: string, post: LivePost): string {
  return htmlPage(`${name} on ${post.platform}`, `<main>${postArticle(name, post)}</main>`)
}

/** A post as HTML. */
export function postArticle(name: string, post: LivePost): string {
  const files = post.media.map(
    ({ mimeType, sizeBytes, width, height, altText }) =>
      `<li>${escapeHtml(mimeType)}, ${sizeBytes} bytes${width && height ? `, ${width} × ${height}` : ''}${altText ? `: ${escapeHtml(altText)}` : ''}</li>`,
  )
  return `<article><strong>${escapeHtml(name)}</strong> <small>${escapeHtml(post.platform)}</small>
<p class="text">${escapeHtml(post.text)}</p>${files.length > 0 ? `<ul>${files.join('')}</ul>` : ''}
<small><a href="${escapeHtml(post.url)}"><time datetime="${escapeHtml(post.at)}">${escapeHtml(post.at)}</time></a></small></article>`
}

/** The page where there is no post. */
export function missingPage(): string {
  return htmlPage('Not found', '<main><h1>Not found</h1><p>There is no such post.</p></main>')
}
