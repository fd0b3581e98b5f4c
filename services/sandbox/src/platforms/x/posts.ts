import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticate } from './authenticate.ts'
import { refuseInvalid, refuseUnknown } from './refusals.ts'
import { shownText } from './shown-text.ts'
import { fileUrl, mediaKeyOf, mediaOf, type Site } from './site.ts'
import type { Post } from './state.ts'

const READ = ['tweet.read', 'users.read']

/** `GET /2/users/:id/tweets`, newest first. Fields beside id and text are answered to who asks for them. */
export function listPosts(site: Site, call: Call): Answer {
  authenticate(site, call, READ)
  const { query } = call
  const maxResults = Number(query.get('max_results') ?? 10)
  if (!(maxResults >= 5 && maxResults <= 100))
    refuseInvalid('max_results', query.get('max_results'), 'max_results is 5 to 100')
  const id = call.params['id'] ?? ''
  if (!site.provider.account(id)) refuseUnknown('user', id)
  const [from, to] = ['start_time', 'end_time'].map((name) => timeOf(query, name))
  const page = [...site.state.posts.values()]
    .filter(({ accountId }) => accountId === id)
    .filter(({ createdAt }) => from === undefined || Date.parse(createdAt) >= from)
    .filter(({ createdAt }) => to === undefined || Date.parse(createdAt) < to)
    .toReversed()
    .slice(0, maxResults)
  const meta = {
    result_count: page.length,
    ...(page[0] && { newest_id: page[0].id, oldest_id: page.at(-1)?.id }),
  }
  const data = page.map((post) => postView(site, post, query))
  return jsonAnswer(200, { ...(data.length > 0 && { data }), meta })
}

/** `GET /2/tweets/:id` */
export function showPost(site: Site, call: Call): Answer {
  authenticate(site, call, READ)
  const id = call.params['id'] ?? ''
  const post = site.state.posts.get(id) ?? refuseUnknown('tweet', id)
  return jsonAnswer(200, { data: postView(site, post, call.query) })
}

/** `GET /:username/status/:id`: the post as everyone sees it. */
export function showPage(site: Site, call: Call): Answer {
  const post = site.state.posts.get(call.params['id'] ?? '')
  const account = site.provider.account(post?.accountId ?? '')
  if (!post || !account || account.username !== call.params['username'])
    return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const pictures = mediaOf(site, post).map((media) =>
    media.category === 'tweet_video'
      ? html`<video controls src="${fileUrl(site, media)}"></video>`
      : html`<img src="${fileUrl(site, media)}" alt="${media.altText ?? ''}" />`,
  )
  return pageAnswer(
    200,
    `@${account.username} on X`,
    html`<article>
      <p class="dim">@${account.username}</p>
      <p>${lines(post.text)}</p>
      ${pictures}
      <p class="dim"><time datetime="${post.createdAt}">${post.createdAt}</time></p>
    </article>`,
  )
}

/** `GET /media/:id`: the bytes of what was uploaded. */
export function showFile(site: Site, call: Call): Answer {
  const media = site.state.media.get(call.params['id'] ?? '')
  const bytes = site.files.get(media?.whole?.sha256 ?? '')
  if (!media || !bytes) return refuseUnknown('media', call.params['id'] ?? '')
  const headers = { 'content-type': media.mimeType, 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: bytes }
}

function postView(site: Site, post: Post, query: URLSearchParams) {
  const { id, accountId, createdAt, replySettings } = post
  const { text, urls } = shownText(site, post)
  const keys = mediaOf(site, post).map(mediaKeyOf)
  const more = {
    author_id: accountId,
    created_at: createdAt,
    reply_settings: replySettings,
    ...(urls.length > 0 && { entities: { urls } }),
    ...(keys.length > 0 && { attachments: { media_keys: keys } }),
  }
  const asked = (query.get('tweet.fields') ?? '').split(',')
  const fields = Object.entries(more).filter(([name]) => asked.includes(name))
  return { id, text, edit_history_tweet_ids: [id], ...Object.fromEntries(fields) }
}

function timeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? refuseInvalid(name, text, `${name} is no time`) : at
}
