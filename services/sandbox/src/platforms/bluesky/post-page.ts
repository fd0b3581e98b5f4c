import { z } from 'zod'
import type { Answer, Call } from '../../call.ts'
import { type Html, html, lines, pageAnswer } from '../../html.ts'
import { blobUrl, mediaOf } from './blobs.ts'
import type { Server } from './server.ts'
import { type Account, type Entry, POSTS, textOf, uriOf } from './state.ts'

const Facets = z.array(
  z.object({
    index: z.object({ byteStart: z.number(), byteEnd: z.number() }),
    features: z.array(
      z.object({
        uri: z.string().optional(),
        tag: z.string().optional(),
        did: z.string().optional(),
      }),
    ),
  }),
)

/** The address that people read a post at. */
export function postUrl(server: Server, entry: Entry): string {
  const { handle = entry.did } = server.state.accounts.get(entry.did) ?? {}
  return `${server.baseUrl()}/profile/${handle}/post/${entry.rkey}`
}

/** `GET /profile/:actor/post/:rkey`: the post as everyone sees it. */
export function showPostPage(server: Server, call: Call): Answer {
  const { actor = '', rkey = '' } = call.params
  const account = server.findAccount(actor)
  const entry =
    account && server.state.records.get(uriOf({ did: account.did, collection: POSTS, rkey }))
  if (!account || !entry) return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  return pageAnswer(200, `@${account.handle} on Bluesky`, postHtml(server, account, entry))
}

function postHtml(server: Server, account: Account, entry: Entry): Html {
  const pictures = mediaOf(server, account.did, entry.value).map((blob) => {
    const { mimeType, alt } = blob
    const url = blobUrl(server, blob)
    return mimeType.startsWith('video/')
      ? html`<video controls src="${url}" title="${alt ?? ''}"></video>`
      : html`<img src="${url}" alt="${alt ?? ''}" />`
  })
  return html`<article>
    <p class="dim">@${account.handle}</p>
    <p>${richText(textOf(entry), entry.value['facets'])}</p>
    ${pictures}
    <p class="dim"><time datetime="${entry.at}">${entry.at}</time></p>
  </article>`
}

/** The text with its facets, whose positions are UTF-8 bytes. Facets that overlap or lie outside are not shown. */
function richText(text: string, facets: unknown): Html[] {
  const bytes = Buffer.from(text)
  const parts: Html[] = []
  let done = 0
  const sorted = (Facets.safeParse(facets).data ?? []).toSorted(
    (one, other) => one.index.byteStart - other.index.byteStart,
  )
  for (const { index, features } of sorted) {
    const { byteStart, byteEnd } = index
    if (byteStart < done || byteEnd <= byteStart || byteEnd > bytes.length) continue
    const shown = bytes.toString('utf8', byteStart, byteEnd)
    const uri = features.find((feature) => feature.uri !== undefined)?.uri ?? ''
    parts.push(
      lines(bytes.toString('utf8', done, byteStart)),
      /^https?:/.test(uri)
        ? html`<a href="${uri}" rel="nofollow noopener">${shown}</a>`
        : html`<b>${shown}</b>`,
    )
    done = byteEnd
  }
  return [...parts, lines(bytes.toString('utf8', done))]
}
