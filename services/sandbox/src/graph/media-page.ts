import type { Answer, Call } from '../call.ts'
import { type Html, html, lines, pageAnswer } from '../html.ts'
import type { World } from '../stand-in.ts'
import type { Media } from './containers.ts'

/** Where the bytes of a file are, below a platform's base address. */
export function mediaUrl({ baseUrl }: World, { sha256 }: Media): string {
  return `${baseUrl()}/media/${sha256}`
}

/** `GET /media/:sha256`: the bytes of what was fetched. */
export function showMedia({ files }: World, media: readonly Media[], call: Call): Answer {
  const one = media.find(({ sha256 }) => sha256 === call.params['sha256'])
  const bytes = one && files.get(one.sha256)
  if (!bytes) return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  return {
    status: 200,
    headers: { 'content-type': one.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}

/** A post as everyone sees it. */
export function postPage(
  world: World,
  post: { platform: string; username: string; text: string; media: readonly Media[]; at: number },
): Answer {
  const at = new Date(post.at).toISOString()
  return pageAnswer(
    200,
    `@${post.username} on ${post.platform}`,
    html`<article>
      <p class="dim">@${post.username}</p>
      <p>${lines(post.text)}</p>
      ${post.media.map((media) => shown(world, media))}
      <p class="dim"><time datetime="${at}">${at}</time></p>
    </article>`,
  )
}

function shown(world: World, media: Media): Html {
  const [url, alt] = [mediaUrl(world, media), media.altText ?? '']
  return media.mimeType.startsWith('video/')
    ? html`<video controls src="${url}" title="${alt}"></video>`
    : html`<img src="${url}" alt="${alt}" />`
}

export function notFoundPage(): Answer {
  return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
}
