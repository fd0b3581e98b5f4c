import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate, ownAccount } from '../../graph/access.ts'
import type { Container, Post } from '../../graph/containers.ts'
import { refuseUnknown } from '../../graph/errors.ts'
import { fieldsOf, select, timeText } from '../../graph/fields.ts'
import { mediaUrl, notFoundPage, postPage, showMedia } from '../../graph/media-page.ts'
import type { Account } from '../../oauth/state.ts'
import type { LivePost } from '../../stand-in.ts'
import { SCOPES, type Threads } from './profile.ts'

const MOST = 100

/** `GET /:id`: a profile, a container or a post, which are all nodes of the graph. */
export function showNode(threads: Threads, call: Call): Answer {
  const { account } = authenticate(threads.provider, call, SCOPES)
  const id = call.params['id'] ?? ''
  if (id === 'me' || id === account.id)
    return jsonAnswer(200, select(call, profileView(account), ['id']))
  const post = threads.containers.post(id)
  if (post?.accountId === account.id)
    return jsonAnswer(200, select(call, postView(threads, account, post), ['id']))
  const container = threads.containers.find(id)
  if (container?.accountId === account.id)
    return jsonAnswer(200, select(call, containerView(threads, container), ['id', 'status']))
  return refuseUnknown(id)
}

/** `GET /:user/threads`: what the account has published, newest first. */
export function listPosts(threads: Threads, call: Call): Answer {
  const account = ownAccount(threads.provider, call, SCOPES)
  const { limit, since, until } = fieldsOf(call)
  const posts = threads.containers
    .postsOf(account.id)
    .filter(({ at }) => since === undefined || at >= Number(since) * 1000)
    .filter(({ at }) => until === undefined || at <= Number(until) * 1000)
    .toReversed()
    .slice(0, Math.min(Number(limit ?? 25), MOST))
  return jsonAnswer(200, {
    data: posts.map((post) => select(call, postView(threads, account, post), ['id'])),
    paging: { cursors: { before: 'QVFI', after: 'QVFJ' } },
  })
}

function profileView({ id, username }: Account) {
  return {
    id,
    username,
    name: username,
    threads_profile_picture_url: null,
    threads_biography: '',
    is_verified: false,
  }
}

function containerView({ containers }: Threads, container: Container) {
  const status = containers.statusOf(container)
  const message = status === 'ERROR' ? container.problem : null
  return { id: container.id, status, error_message: message }
}

const MEDIA_TYPES: Record<string, string> = { TEXT: 'TEXT_POST', CAROUSEL: 'CAROUSEL_ALBUM' }

function postView(threads: Threads, account: Account, post: Post) {
  const container = threads.containers.containerOf(post)
  const { type, text, media, children, extra } = container
  return {
    id: post.id,
    media_product_type: 'THREADS',
    media_type: MEDIA_TYPES[type] ?? type,
    media_url: media && mediaUrl(threads.world, media),
    permalink: permalinkOf(threads, post),
    owner: { id: account.id },
    username: account.username,
    text: text === '' ? null : text,
    timestamp: timeText(post.at),
    shortcode: post.shortcode,
    thumbnail_url: null,
    children: children.length === 0 ? null : { data: children.map((id) => ({ id })) },
    is_quote_post: false,
    has_replies: false,
    alt_text: media?.altText ?? null,
    link_attachment_url: extra['link_attachment_url'] ?? null,
    topic_tag: extra['topic_tag'] ?? null,
    reply_audience: (extra['reply_control'] ?? 'everyone').toUpperCase(),
  }
}

function permalinkOf({ world, provider }: Threads, { accountId, shortcode }: Post): string {
  return `${world.baseUrl()}/@${provider.account(accountId)?.username}/post/${shortcode}`
}

/** `GET /@:username/post/:shortcode` */
export function showPostPage(threads: Threads, call: Call): Answer {
  const post = threads.containers
    .posts()
    .find(({ shortcode }) => shortcode === call.params['shortcode'])
  const account = threads.provider.account(post?.accountId ?? '')
  if (!post || !account || account.username !== call.params['username']) return notFoundPage()
  const container = threads.containers.containerOf(post)
  const media = threads.containers.mediaOf(container)
  const { username } = account
  const { text } = container
  return postPage(threads.world, { platform: 'Threads', username, text, media, at: post.at })
}

/** `GET /media/:sha256` */
export function showFile({ world, containers }: Threads, call: Call): Answer {
  const media = containers
    .posts()
    .flatMap((post) => containers.mediaOf(containers.containerOf(post)))
  return showMedia(world, media, call)
}

/** All that is live, oldest first. */
export function liveOf(threads: Threads): LivePost[] {
  const { containers, world } = threads
  return containers.posts().map((post) => {
    const container = containers.containerOf(post)
    return {
      account: post.accountId,
      id: post.id,
      url: permalinkOf(threads, post),
      text: container.text,
      media: containers
        .mediaOf(container)
        .map((media) => ({ ...media, url: mediaUrl(world, media) })),
      at: new Date(post.at).toISOString(),
    }
  })
}
