import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { refuseUnknown } from '../../graph/errors.ts'
import { select } from '../../graph/fields.ts'
import { mediaUrl, notFoundPage, postPage, showMedia } from '../../graph/media-page.ts'
import type { LivePost } from '../../stand-in.ts'
import { postView } from './feed.ts'
import { type Facebook, ownPage, pageView } from './pages.ts'
import type { Media, Post, Video } from './state.ts'
import { isLive, videoView } from './videos.ts'

/** `GET /:version/:id`: a Page, a post, a picture or a video, which are all nodes of the graph. */
export function showNode(facebook: Facebook, call: Call): Answer {
  const page = ownPage(facebook, { ...call, params: { page: 'me' } })
  const { state } = facebook.part
  const id = call.params['id'] ?? ''
  if (id === page.id) return jsonAnswer(200, select(call, pageView(page), ['name']))
  const post = state.posts.get(id)
  if (post?.pageId === page.id)
    return jsonAnswer(
      200,
      select(call, postView(facebook, post), ['id', 'message', 'created_time']),
    )
  const video = state.videos.get(id)
  if (video?.pageId === page.id)
    return jsonAnswer(200, select(call, videoView(facebook, video), ['id', 'description']))
  const photo = state.photos.get(id)
  if (photo?.pageId === page.id) return jsonAnswer(200, select(call, { id }, ['id']))
  return refuseUnknown(id)
}

/** `GET /:page/posts/:id`, `GET /reel/:id` and `GET /:page/videos/:id` */
export function showPostPage(facebook: Facebook, call: Call): Answer {
  const id = call.params['id'] ?? ''
  const live = liveOf(facebook).find((post) => post.id === id || post.id.endsWith(`_${id}`))
  const page = facebook.pages.account(live?.account ?? '')
  if (!live || !page) return notFoundPage()
  return postPage(facebook.world, {
    platform: 'Facebook',
    username: page.username,
    text: live.text,
    media: live.media,
    at: Date.parse(live.at),
  })
}

/** `GET /media/:sha256` */
export function showFile(facebook: Facebook, call: Call): Answer {
  return showMedia(
    facebook.world,
    liveOf(facebook).flatMap(({ media }) => media),
    call,
  )
}

/** All that is live, oldest first. */
export function liveOf(facebook: Facebook): LivePost[] {
  const { posts, videos } = facebook.part.state
  return [
    ...[...posts.values()].map((post) => livePost(facebook, post)),
    ...[...videos.values()]
      .filter((video) => isLive(facebook, video))
      .map((video) => liveVideo(facebook, video)),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

function livePost(facebook: Facebook, post: Post): LivePost {
  const { id, pageId, message, photoIds, at } = post
  const photos = photoIds.flatMap((photoId) => facebook.part.state.photos.get(photoId) ?? [])
  return {
    account: pageId,
    id,
    url: postView(facebook, post).permalink_url,
    text: message,
    media: photos.map(({ media }) => withUrl(facebook, media)),
    at: new Date(at).toISOString(),
  }
}

function liveVideo(facebook: Facebook, video: Video): LivePost {
  const { id, pageId, description, media, publishedAt, madeAt } = video
  return {
    account: pageId,
    id,
    url: `${facebook.world.baseUrl()}${videoView(facebook, video).permalink_url}`,
    text: description,
    media: media ? [withUrl(facebook, media)] : [],
    at: new Date(publishedAt ?? madeAt).toISOString(),
  }
}

function withUrl({ world }: Facebook, media: Media) {
  return { ...media, url: mediaUrl(world, media) }
}
