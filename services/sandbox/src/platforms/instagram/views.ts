import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate, ownAccount } from '../../graph/access.ts'
import type { Container, Post } from '../../graph/containers.ts'
import { refuseUnknown } from '../../graph/errors.ts'
import { fieldsOf, select, timeText } from '../../graph/fields.ts'
import { mediaUrl, notFoundPage, postPage, showMedia } from '../../graph/media-page.ts'
import type { Account } from '../../oauth/state.ts'
import type { LivePost } from '../../stand-in.ts'
import { type Instagram, SCOPES } from './profile.ts'

const MOST = 100
const STORY_LIVES_MS = 24 * 3_600_000

/** `GET /:id`: an account, a container or a post, which are all nodes of the graph. */
export function showNode(instagram: Instagram, call: Call): Answer {
  const { account } = authenticate(instagram.provider, call, SCOPES)
  const id = call.params['id'] ?? ''
  if (id === 'me' || id === account.id)
    return jsonAnswer(200, select(call, profileView(account), ['id']))
  const post = instagram.containers.post(id)
  if (post?.accountId === account.id)
    return jsonAnswer(200, select(call, postView(instagram, account, post), ['id']))
  const container = instagram.containers.find(id)
  if (container?.accountId === account.id)
    return jsonAnswer(200, select(call, containerView(instagram, container), ['id']))
  return refuseUnknown(id)
}

/** `GET /:user/media` and `GET /:user/stories`: what the account has published, newest first. Stories last a day. */
export function listPosts(instagram: Instagram, kind: 'media' | 'stories', call: Call): Answer {
  const { containers, provider, world } = instagram
  const account = ownAccount(provider, call, SCOPES)
  const posts = containers
    .postsOf(account.id)
    .filter((post) => isStory(instagram, post) === (kind === 'stories'))
    .filter(({ at }) => kind === 'media' || at + STORY_LIVES_MS > world.now())
    .toReversed()
    .slice(0, Math.min(Number(fieldsOf(call)['limit'] ?? 25), MOST))
  return jsonAnswer(200, {
    data: posts.map((post) => select(call, postView(instagram, account, post), ['id'])),
    paging: { cursors: { before: 'QVFI', after: 'QVFJ' } },
  })
}

function isStory({ containers }: Instagram, post: Post): boolean {
  return containers.containerOf(post).type === 'STORIES'
}

function profileView({ id, username }: Account) {
  return {
    // What the app knows the person by; the account itself is `user_id`.
    id: `2${id.slice(1)}`,
    user_id: id,
    username,
    name: username,
    account_type: 'BUSINESS',
    profile_picture_url: null,
    media_count: 0,
  }
}

function containerView({ containers }: Instagram, container: Container) {
  const status = containers.statusOf(container)
  const texts: Record<typeof status, string> = {
    IN_PROGRESS: 'In Progress: Media is still being processed.',
    FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
    PUBLISHED: 'Published: Media has been published.',
    EXPIRED: 'Expired: Media was not published within 24 hours.',
    ERROR: `Error: Media upload has failed with error code ${container.problem}`,
  }
  return { id: container.id, status_code: status, status: texts[status] }
}

function postView(instagram: Instagram, account: Account, post: Post) {
  const { type, text, media, children } = instagram.containers.containerOf(post)
  const isVideo = media?.mimeType.startsWith('video/') === true
  return {
    id: post.id,
    caption: text === '' ? null : text,
    media_type: type === 'CAROUSEL' ? 'CAROUSEL_ALBUM' : isVideo ? 'VIDEO' : 'IMAGE',
    media_product_type: PRODUCTS[type] ?? 'FEED',
    media_url: media && mediaUrl(instagram.world, media),
    permalink: permalinkOf(instagram, post),
    shortcode: post.shortcode,
    timestamp: timeText(post.at),
    username: account.username,
    owner: { id: account.id },
    alt_text: media?.altText ?? null,
    children: children.length === 0 ? null : { data: children.map((id) => ({ id })) },
    like_count: 0,
    comments_count: 0,
  }
}

const PRODUCTS: Record<string, string> = { REELS: 'REELS', STORIES: 'STORY' }

function permalinkOf(instagram: Instagram, post: Post): string {
  const { world, provider, containers } = instagram
  switch (containers.containerOf(post).type) {
    case 'REELS':
      return `${world.baseUrl()}/reel/${post.shortcode}/`
    case 'STORIES':
      return `${world.baseUrl()}/stories/${provider.account(post.accountId)?.username}/${post.id}`
    default:
      return `${world.baseUrl()}/p/${post.shortcode}/`
  }
}

/** `GET /p/:code`, `GET /reel/:code` and `GET /stories/:username/:code` */
export function showPostPage(instagram: Instagram, call: Call): Answer {
  const { containers, provider, world } = instagram
  const code = call.params['code']
  const post = containers.posts().find(({ id, shortcode }) => id === code || shortcode === code)
  const account = provider.account(post?.accountId ?? '')
  if (!post || !account) return notFoundPage()
  const container = containers.containerOf(post)
  const media = containers.mediaOf(container)
  const { username } = account
  return postPage(world, {
    platform: 'Instagram',
    username,
    text: container.text,
    media,
    at: post.at,
  })
}

/** `GET /media/:sha256` */
export function showFile({ world, containers }: Instagram, call: Call): Answer {
  const media = containers
    .posts()
    .flatMap((post) => containers.mediaOf(containers.containerOf(post)))
  return showMedia(world, media, call)
}

/** All that is live, oldest first. */
export function liveOf(instagram: Instagram): LivePost[] {
  const { containers, world } = instagram
  return containers.posts().map((post) => {
    const container = containers.containerOf(post)
    return {
      account: post.accountId,
      id: post.id,
      url: permalinkOf(instagram, post),
      text: container.text,
      media: containers
        .mediaOf(container)
        .map((media) => ({ ...media, url: mediaUrl(world, media) })),
      at: new Date(post.at).toISOString(),
    }
  })
}
