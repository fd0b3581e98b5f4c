import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { ownAccount } from '../../graph/access.ts'
import type { Container } from '../../graph/containers.ts'
import { refuse, refuseParameter } from '../../graph/errors.ts'
import { failureIn } from '../../fail-on-command.ts'
import { fieldsOf, isTrue, listOf } from '../../graph/fields.ts'
import { pullPicture, pullVideo } from '../../graph/pull-media.ts'
import type { Account } from '../../oauth/state.ts'
import { hasTooManyLinks, isTooLong } from './count-text.ts'
import { SCOPES, type Threads } from './profile.ts'

const PROCESSING_MS = 1500
const MAX_VIDEO_BYTES = 1_000_000_000
const MAX_ALT_TEXT = 1000
const PICTURE = {
  mimeTypes: ['image/jpeg', 'image/png'],
  maxBytes: 8_000_000,
  minRatio: 0.1,
  maxRatio: 10,
}
const REPLY_CONTROLS = [
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
]

type Fields = Record<string, string>
type Made = Pick<Container, 'media' | 'children' | 'readyAt' | 'problem'>

/** `POST /:user/threads`: makes a container, which nobody sees until it is published. */
export async function makeContainer(threads: Threads, call: Call): Promise<Answer> {
  const account = ownAccount(threads.provider, call, SCOPES)
  const fields = fieldsOf(call)
  const text = fields['text'] ?? ''
  checkText(fields, text)
  const made = await madeOf(threads, account, fields)
  const { id } = threads.containers.make({
    ...made,
    accountId: account.id,
    type: fields['media_type'] ?? '',
    text,
    isItem: isTrue(fields['is_carousel_item']),
    extra: extraOf(fields),
    ...(failureIn(text) !== null && {
      problem: failureIn(text),
      readyAt: threads.world.now() + PROCESSING_MS,
    }),
  })
  return jsonAnswer(200, { id })
}

function checkText(fields: Fields, text: string): void {
  if (isTooLong(text)) refuseParameter('Param text must be at most 500 characters long.')
  if (!hasTooManyLinks(text, fields['link_attachment'])) return
  refuse({
    message: 'THREADS_API__LINK_LIMIT_EXCEEDED',
    code: 24,
    isTransient: false,
    userTitle: 'Too many links',
    userMessage: 'THREADS_API__LINK_LIMIT_EXCEEDED: A post may have 5 links.',
  })
}

async function madeOf(threads: Threads, account: Account, fields: Fields): Promise<Made> {
  const now = threads.world.now()
  switch (fields['media_type'] ?? '') {
    case 'TEXT':
      if ((fields['text'] ?? '').trim() === '') refuseParameter('The parameter text is required')
      return { media: null, children: [], readyAt: now, problem: null }
    case 'IMAGE': {
      const url = addressIn(fields, 'image_url')
      const media = await pullPicture(threads.world, url, altTextOf(fields), PICTURE)
      return { media, children: [], readyAt: now, problem: null }
    }
    case 'VIDEO':
      return await madeOfVideo(threads, fields)
    case 'CAROUSEL':
      return madeOfItems(threads, account, fields)
    default:
      return refuseParameter('Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}')
  }
}

async function madeOfVideo({ world }: Threads, fields: Fields): Promise<Made> {
  const url = addressIn(fields, 'video_url')
  const pulled = await pullVideo(world, url, altTextOf(fields), MAX_VIDEO_BYTES)
  const rest = { children: [], readyAt: world.now() + PROCESSING_MS }
  if ('media' in pulled) return { ...rest, media: pulled.media, problem: null }
  const problem =
    pulled.problem === 'no-video' ? 'FAILED_PROCESSING_VIDEO' : 'FAILED_DOWNLOADING_VIDEO'
  return { ...rest, media: null, problem }
}

function madeOfItems({ world, containers }: Threads, account: Account, fields: Fields): Made {
  const ids = listOf(fields['children'])
  if (ids.length < 2 || ids.length > 20)
    refuseParameter('Param children must have between 2 and 20 elements')
  const items = ids.flatMap((id) => containers.find(id) ?? [])
  const isUsable = (item: Container) =>
    item.accountId === account.id && item.isItem && containers.statusOf(item) === 'FINISHED'
  if (items.length < ids.length || !items.every(isUsable))
    refuseParameter('Param children must be ids of finished carousel items of this user')
  const hasVideo = items.some(({ type }) => type === 'VIDEO')
  const readyAt = world.now() + (hasVideo ? PROCESSING_MS : 0)
  return { media: null, children: ids, readyAt, problem: null }
}

function addressIn(fields: Fields, name: string): string {
  const url = fields[name]
  if (url === undefined) refuseParameter(`The parameter ${name} is required`)
  if (!URL.canParse(url) || !/^https?:/.test(url))
    refuseParameter(`Param ${name} must be a valid URI`)
  return url
}

function altTextOf(fields: Fields): string | null {
  const text = fields['alt_text'] ?? null
  if (text !== null && Array.from(text).length > MAX_ALT_TEXT)
    refuseParameter(`Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`)
  return text
}

function extraOf(fields: Fields): Record<string, string> {
  const { reply_control: replyControl, topic_tag: topicTag, link_attachment: link } = fields
  if (replyControl !== undefined && !REPLY_CONTROLS.includes(replyControl))
    refuseParameter(`Param reply_control must be one of {${REPLY_CONTROLS.join(', ')}}`)
  if (topicTag !== undefined && !/^[^.&]{1,50}$/u.test(topicTag))
    refuseParameter('Param topic_tag must have 1 to 50 characters, without . and &')
  if (link !== undefined && (fields['media_type'] !== 'TEXT' || !URL.canParse(link)))
    refuseParameter('Param link_attachment must be a valid URI on a post with the media_type TEXT')
  return {
    ...(replyControl !== undefined && { reply_control: replyControl }),
    ...(topicTag !== undefined && { topic_tag: topicTag }),
    ...(link !== undefined && { link_attachment_url: link }),
  }
}
