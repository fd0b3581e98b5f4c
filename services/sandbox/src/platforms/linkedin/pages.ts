import type { Answer, Call } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { refuse } from './refusals.ts'
import { assetsOf, fileUrl, ORGANIZATION, PERSON, type Site } from './site.ts'

/** `GET /feed/update/:urn`: the post as everyone sees it. */
export function showPage(site: Site, call: Call): Answer {
  const post = site.state.posts.get(call.params['urn'] ?? '')
  if (!post || post.visibility !== 'PUBLIC')
    return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const name = nameOf(site, post.author)
  const files = assetsOf(site, post).map((asset) => {
    const url = fileUrl(site, asset)
    if (asset.kind === 'document') return html`<p><a href="${url}">${post.title ?? ''}</a></p>`
    return asset.kind === 'video'
      ? html`<video controls src="${url}"></video>`
      : html`<img src="${url}" alt="${asset.altText ?? ''}" />`
  })
  return pageAnswer(
    200,
    `${name} on LinkedIn`,
    html`<article>
      <p class="dim">${name}</p>
      <p>${lines(post.text)}</p>
      ${files}
    </article>`,
  )
}

/** `GET /dms/:urn`: the bytes of what was uploaded. */
export function showFile(site: Site, call: Call): Answer {
  const whole = site.state.assets.get(call.params['urn'] ?? '')?.whole
  const bytes = site.files.get(whole?.sha256 ?? '')
  if (!whole || !bytes) return refuse(404, 'NOT_FOUND', 'Could not find entity')
  const type = whole.mimeType || 'application/octet-stream'
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: bytes }
}

function nameOf({ provider, state }: Site, author: string): string {
  if (author.startsWith(PERSON))
    return provider.account(author.slice(PERSON.length))?.username ?? ''
  const id = author.slice(ORGANIZATION.length)
  return [...state.organizations.values()].find((one) => one.id === id)?.name ?? ''
}
