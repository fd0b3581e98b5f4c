import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { ownAccount } from '../../graph/access.ts'
import type { Container } from '../../graph/containers.ts'
import { refuse, refuseParameter } from '../../graph/errors.ts'
import { failureIn } from '../../fail-on-command.ts'
import { fieldsOf, isTrue, listOf } from '../../graph/fields.ts'
import { pullPicture, pullVideo } from '../../graph/pull-media.ts'
import type { Account } from '../../oauth/state.ts'
import { type Instagram, SCOPES } from './profile.ts'

const PROCESSING_MS = 1500
const MB = 1024 * 1024
const MAX_REEL_BYTES = 300 * MB
const MAX_STORY_BYTES = 100 * MB
const MAX_ALT_TEXT = 1000
const CAPTION = { characters: 2200, hashtags: 30, mentions: 20 }
const PICTURE = { mimeTypes: ['image/jpeg'], maxBytes: 8 * MB, minRatio: 4 / 5, maxRatio: 1.91 }
/** A story may have any shape. */
const STORY_PICTURE = { ...PICTURE, minRatio: 0, maxRatio: Infinity }

type Fields = Record<string, string>
type Made = Pick<Container, 'type' | 'media' | 'children' | 'readyAt' | 'problem'>

/** `POST /:user/media`: makes a container, which nobody sees until it is published. */
export async function makeContainer(instagram: Instagram, call: Call): Promise<Answer> {
  const account = ownAccount(instagram.provider, call, SCOPES)
  const fields = fieldsOf(call)
  const isItem = isTrue(fields['is_carousel_item'])
  // Items and stories have no caption; one that is sent all the same is not shown.
  const hasCaption = !isItem && fields['media_type'] !== 'STORIES'
  const text = hasCaption ? (fields['caption'] ?? '') : ''
  checkCaption(text)
  const made = await madeOf(instagram, account, fields, isItem)
  const failure = failureIn(fields['caption'] ?? '')
  const { id } = instagram.containers.make({
    ...made,
    accountId: account.id,
    text,
    isItem,
    extra: extraOf(fields),
    ...(failure !== null && {
      problem: failure,
      readyAt: instagram.world.now() + PROCESSING_MS,
    }),
  })
  return jsonAnswer(200, { id })
}

function checkCaption(text: string): void {
  const count = (pattern: RegExp) => [...text.matchAll(pattern)].length
  const isFine =
    text.length <= CAPTION.characters &&
    count(/#[\p{Letter}\p{Number}_]+/gu) <= CAPTION.hashtags &&
    count(/@[A-Za-z0-9_.]+/g) <= CAPTION.mentions
  if (isFine) return
  refuse({
    message: 'The caption is too long',
    code: 36004,
    subcode: 2207010,
    isTransient: false,
    userTitle: 'Caption too long',
    userMessage: `The caption was too long. The maximum is ${CAPTION.characters} characters, ${CAPTION.hashtags} hashtags and ${CAPTION.mentions} @ tags.`,
  })
}

async function madeOf(
  instagram: Instagram,
  account: Account,
  fields: Fields,
  isItem: boolean,
): Promise<Made> {
  const type = fields['media_type'] ?? 'IMAGE'
  switch (type) {
    case 'IMAGE':
      return madeOfPicture(instagram, fields, type)
    case 'VIDEO':
      // A single video is a reel nowadays.
      if (!isItem)
        refuseParameter('The VIDEO value for media_type is no longer supported. Use REELS.', {
          subcode: 2207067,
        })
      return madeOfVideo(instagram, fields, type, MAX_REEL_BYTES)
    case 'REELS':
      if (isItem) refuseParameter('A reel cannot be a carousel item')
      return madeOfVideo(instagram, fields, type, MAX_REEL_BYTES)
    case 'STORIES':
      return fields['video_url'] === undefined
        ? madeOfPicture(instagram, fields, type)
        : madeOfVideo(instagram, fields, type, MAX_STORY_BYTES)
    case 'CAROUSEL':
      return madeOfItems(instagram, account, fields)
    default:
      return refuseParameter('Param media_type must be one of {CAROUSEL, REELS, STORIES, VIDEO}')
  }
}

async function madeOfPicture({ world }: Instagram, fields: Fields, type: string): Promise<Made> {
  const limits = type === 'STORIES' ? STORY_PICTURE : PICTURE
  const url = addressIn(fields, 'image_url')
  const media = await pullPicture(world, url, altTextOf(fields, type), limits)
  return { type, media, children: [], readyAt: world.now(), problem: null }
}

async function madeOfVideo(
  { world }: Instagram,
  fields: Fields,
  type: string,
  maxBytes: number,
): Promise<Made> {
  const offset = fields['thumb_offset']
  if (offset !== undefined && !/^\d+$/.test(offset))
    refuse({ message: 'Invalid thumb_offset', code: 1, subcode: 2207057, isTransient: false })
  const pulled = await pullVideo(world, addressIn(fields, 'video_url'), null, maxBytes)
  const rest = { type, children: [], readyAt: world.now() + PROCESSING_MS }
  if ('media' in pulled) return { ...rest, media: pulled.media, problem: null }
  const problem = pulled.problem === 'unreachable' ? '2207052' : '2207026'
  return { ...rest, media: null, problem }
}

function madeOfItems({ world, containers }: Instagram, account: Account, fields: Fields): Made {
  const ids = listOf(fields['children'])
  if (ids.length < 2 || ids.length > 10)
    refuse({
      message: 'Carousels need 2 to 10 items',
      code: 100,
      subcode: 2207028,
      isTransient: false,
      userMessage:
        'Your post cannot be created. Carousels need to have between 2 and 10 photos and videos.',
    })
  const items = ids.flatMap((id) => containers.find(id) ?? [])
  const isUsable = (item: Container) => item.accountId === account.id && item.isItem
  if (items.length < ids.length || !items.every(isUsable))
    refuseParameter('Param children must be ids of carousel items of this user')
  if (items.some((item) => containers.statusOf(item) !== 'FINISHED')) refuseNotReady()
  const hasVideo = items.some(({ type }) => type === 'VIDEO')
  const readyAt = world.now() + (hasVideo ? PROCESSING_MS : 0)
  return { type: 'CAROUSEL', media: null, children: ids, readyAt, problem: null }
}

/** What Instagram says of a container that is not finished. */
export function refuseNotReady(): never {
  refuse({
    message: 'Media ID is not available',
    code: 9007,
    subcode: 2207027,
    isTransient: false,
    userTitle: 'Cannot publish media',
    userMessage: 'The media is not ready for publishing. Please wait for a moment.',
  })
}

function addressIn(fields: Fields, name: string): string {
  const url = fields[name]
  if (url === undefined) refuseParameter(`The parameter ${name} is required`)
  if (!URL.canParse(url) || !/^https?:/.test(url))
    refuseParameter(`Param ${name} must be a valid URI`)
  return url
}

function altTextOf(fields: Fields, type: string): string | null {
  const text = fields['alt_text']
  if (text === undefined) return null
  if (type === 'STORIES') refuseParameter('Param alt_text is only for image posts')
  if (text.length > MAX_ALT_TEXT)
    refuseParameter(`Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`)
  return text
}

function extraOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => ['share_to_feed', 'thumb_offset'].includes(name)),
  )
}
