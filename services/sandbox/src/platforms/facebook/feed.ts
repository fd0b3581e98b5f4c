import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { refuse, refuseParameter } from '../../graph/errors.ts'
import { fieldsOf, select, timeText } from '../../graph/fields.ts'
import { newGraphId } from '../../graph/ids.ts'
import { pullPicture } from '../../graph/pull-media.ts'
import type { OperationKind } from '../../stand-in.ts'
import { type Facebook, ownPage } from './pages.ts'
import type { Photo, Post } from './state.ts'

const MAX_CHARACTERS = 63_206
const MAX_PHOTO_BYTES = 4 * 1024 * 1024
const MOST = 100
const PICTURE = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/tiff'],
  maxBytes: MAX_PHOTO_BYTES,
  minRatio: 0,
  maxRatio: Infinity,
}

type Fields = Record<string, string>

/** `POST /:page/feed`: a post of a text, a link or pictures that are there already. */
export function postToFeed(facebook: Facebook, call: Call): Answer {
  const page = ownPage(facebook, call)
  const fields = fieldsOf(call)
  const { message = '', link = null } = fields
  const photos = attachedPhotos(facebook, page.id, fields)
  if (message.trim() === '' && link === null && photos.length === 0)
    refuseParameter('Missing or invalid message, link or attached_media')
  checkMessage(message)
  if (link !== null && !URL.canParse(link))
    refuse({ message: '(#100) link URL is not properly formatted', code: 100, subcode: 1609005 })
  const post = { pageId: page.id, message, link, photoIds: photos.map(({ id }) => id) }
  refuseDuplicate(facebook, post)
  const made = makePost(facebook, post)
  return { ...jsonAnswer(200, select(call, postView(facebook, made), ['id'])), applied: made.id }
}

function checkMessage(message: string): void {
  if (message.length > MAX_CHARACTERS)
    refuseParameter(`The message is too long: at most ${MAX_CHARACTERS} characters.`)
}

function makePost({ world, part }: Facebook, given: Omit<Post, 'id' | 'at'>): Post {
  const post = { ...given, id: `${given.pageId}_${newGraphId()}`, at: world.now() }
  part.record({ type: 'post-made', post })
  return post
}

const Attached = z.object({ media_fbid: z.coerce.string() })

/** Either a JSON list, or one parameter for each with a number in brackets. */
function attachedPhotos({ part }: Facebook, pageId: string, fields: Fields): Photo[] {
  const texts = Object.entries(fields)
    .filter(([name]) => /^attached_media\[\d+\]$/.test(name))
    .map(([, text]) => text)
  const given = parse(fields['attached_media'] ?? `[${texts.join(',')}]`)
  const list = z.array(Attached).safeParse(given).data
  if (!list) refuseParameter('Param attached_media must be an array of objects with media_fbid')
  const photos = list.flatMap(({ media_fbid: id }) => part.state.photos.get(id) ?? [])
  const isFree = ({ pageId: owner, postId }: Photo) => owner === pageId && postId === null
  if (photos.length < list.length || !photos.every(isFree))
    refuseParameter('Invalid media_fbid in attached_media')
  return photos
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same text and link twice in a row. */
function refuseDuplicate(
  { part }: Facebook,
  { pageId, message, link, photoIds }: Omit<Post, 'id' | 'at'>,
) {
  const last = [...part.state.posts.values()].findLast((post) => post.pageId === pageId)
  const isSame = last?.message === message && last.link === link
  if (!isSame || photoIds.length > 0 || last.photoIds.length > 0) return
  refuse({
    message: '(#506) Duplicate status message',
    code: 506,
    subcode: 1455006,
    isTransient: false,
    userTitle: 'Duplicate Status Update',
    userMessage: 'This status update is identical to the last one you posted.',
  })
}

/** A picture that is published at once is a post of its own. */
export function kindOfPhoto(call: Call): OperationKind {
  return fieldsOf(call)['published'] === 'false' ? 'media' : 'commit'
}

/** `POST /:page/photos`: fetches a picture; unless `published` is false it is a post at once. */
export async function bringPhoto(facebook: Facebook, call: Call): Promise<Answer> {
  const page = ownPage(facebook, call)
  const fields = fieldsOf(call)
  const { url = '', alt_text_custom: altText = null } = fields
  if (!URL.canParse(url)) refuseParameter('Missing or invalid image file', { subcode: 1366046 })
  const message = fields['message'] ?? fields['caption'] ?? ''
  checkMessage(message)
  const media = await pullPicture(facebook.world, url, altText, PICTURE, refusePicture)
  const photo: Photo = { id: newGraphId(), pageId: page.id, media, postId: null }
  facebook.part.record({ type: 'photo-brought', photo })
  if (fields['published'] === 'false') return jsonAnswer(200, { id: photo.id })
  const post = makePost(facebook, { pageId: page.id, message, link: null, photoIds: [photo.id] })
  return { ...jsonAnswer(200, { id: photo.id, post_id: post.id }), applied: post.id }
}

/** What Facebook says of a picture that it cannot have or use. */
function refusePicture(problem: 'unreachable' | 'too-large' | 'format' | 'ratio'): never {
  if (problem === 'unreachable')
    refuse({
      message: '(#324) Missing or invalid image file',
      code: 324,
      subcode: 2069019,
      isTransient: false,
    })
  refuse({
    message: 'Invalid parameter',
    code: 100,
    subcode: 1366046,
    isTransient: false,
    userTitle: "Can't Read Files",
    userMessage:
      "Your photos couldn't be uploaded. Photos should be less than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.",
  })
}

/** `GET /:page/feed`: the Page's posts, newest first. */
export function listFeed(facebook: Facebook, call: Call): Answer {
  const page = ownPage(facebook, call)
  const posts = [...facebook.part.state.posts.values()]
    .filter(({ pageId }) => pageId === page.id)
    .toReversed()
    .slice(0, Math.min(Number(fieldsOf(call)['limit'] ?? 25), MOST))
  const data = posts.map((post) =>
    select(call, postView(facebook, post), ['id', 'message', 'created_time']),
  )
  return jsonAnswer(200, { data, paging: { cursors: { before: 'QVFI', after: 'QVFJ' } } })
}

export function postView(
  { world, part }: Facebook,
  { id, pageId, message, link, photoIds, at }: Post,
) {
  const targets = photoIds.flatMap((photoId) => part.state.photos.get(photoId) ?? [])
  const media = targets.map((photo) => ({ type: 'photo', target: { id: photo.id } }))
  return {
    id,
    message: message === '' ? null : message,
    created_time: timeText(at),
    permalink_url: `${world.baseUrl()}/${pageId}/posts/${id.split('_')[1]}`,
    is_published: true,
    from: { id: pageId },
    attachments: attachmentsOf(media, link),
  }
}

function attachmentsOf(media: { type: string; target: { id: string } }[], link: string | null) {
  if (media.length > 1) return { data: [{ type: 'album', subattachments: { data: media } }] }
  if (media.length === 1) return { data: media }
  return link === null ? null : { data: [{ type: 'share', unshimmed_url: link }] }
}
