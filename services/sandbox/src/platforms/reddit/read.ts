import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticate } from './authenticate.ts'
import { refuse } from './refusals.ts'
import { isLive, permalink, type Reddit } from './server.ts'
import type { Post } from './state.ts'
import { subredditOf } from './subreddits.ts'

const DEFAULT_LIMIT = 25
const MAX_LIMIT = 100

/** `GET /api/v1/me` */
export function showMe(reddit: Reddit, call: Call): Answer {
  const { id, username, createdAt } = authenticate(reddit, call, 'identity')
  return jsonAnswer(200, {
    id,
    name: username,
    icon_img: `${reddit.baseUrl()}/avatar.png`,
    is_suspended: false,
    total_karma: 1,
    created_utc: createdAt / 1000,
  })
}

/** `GET /user/:username/submitted`: what the account posted, newest first. */
export function listSubmitted(reddit: Reddit, call: Call): Answer {
  authenticate(reddit, call, 'history')
  const account = reddit.provider
    .accounts()
    .find(({ username }) => username === call.params['username'])
  if (!account) refuse(404)
  const posts = [...reddit.state.posts.values()]
    .filter((post) => post.accountId === account.id && isLive(reddit, post))
    .toSorted((one, other) => other.readyAt - one.readyAt || (other.id < one.id ? -1 : 1))
  const { query } = call
  const afterAt = posts.findIndex(({ id }) => `t3_${id}` === query.get('after'))
  const limit = Math.min(Number(query.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT, MAX_LIMIT)
  const page = posts.slice(afterAt + 1, afterAt + 1 + limit)
  const last = page.at(-1)
  const hasMore = posts.length > afterAt + 1 + limit
  return jsonAnswer(200, {
    kind: 'Listing',
    data: {
      after: last && hasMore ? `t3_${last.id}` : null,
      before: null,
      dist: page.length,
      children: page.map((post) => ({
        kind: 't3',
        data: postView(reddit, account.username, post),
      })),
    },
  })
}

function postView(reddit: Reddit, author: string, post: Post) {
  const { id, kind, subreddit, title, link } = post
  const address = `${reddit.baseUrl()}${permalink(post)}`
  return {
    id,
    name: `t3_${id}`,
    author,
    subreddit,
    subreddit_name_prefixed: `r/${subreddit}`,
    title,
    selftext: post.text,
    is_self: kind === 'self',
    is_video: kind === 'video',
    is_gallery: kind === 'gallery',
    over_18: post.nsfw,
    spoiler: post.spoiler,
    link_flair_template_id: post.flairId,
    url: link ?? address,
    permalink: permalink(post),
    created_utc: Math.floor(post.readyAt / 1000),
  }
}

/** `GET /r/:subreddit/api/link_flair_v2` */
export function listFlairs(reddit: Reddit, call: Call): Answer {
  authenticate(reddit, call, 'flair')
  const { isMissing, isPrivate, flairs } = subredditOf(call.params['subreddit'] ?? '')
  if (isMissing) refuse(404)
  if (isPrivate) refuse(403, { reason: 'private' })
  const views = flairs.map((flair) => ({
    ...flair,
    type: 'text',
    text_editable: false,
    allowable_content: 'all',
    mod_only: false,
    css_class: '',
  }))
  return jsonAnswer(200, views)
}

/** `GET /r/:subreddit/comments/:id/:slug`: the post as everyone sees it. */
export function showPostPage(reddit: Reddit, call: Call): Answer {
  const post = reddit.state.posts.get(call.params['id'] ?? '')
  if (!post || !isLive(reddit, post))
    return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const files = post.assetIds.map((id) => {
    const src = `${reddit.baseUrl()}/media/${id}`
    return post.kind === 'video'
      ? html`<video controls src="${src}"></video>`
      : html`<img src="${src}" alt="" />`
  })
  const links = post.link === null ? [] : [html`<p><a href="${post.link}">${post.link}</a></p>`]
  return pageAnswer(
    200,
    `${post.title} : r/${post.subreddit}`,
    html`<article>
      <p class="dim">r/${post.subreddit}</p>
      <h1>${post.title}</h1>
      ${links}${files}
      <p>${lines(post.text)}</p>
    </article>`,
  )
}
