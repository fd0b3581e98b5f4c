import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { failureIn } from '../../fail-on-command.ts'
import { authenticate } from './authenticate.ts'
import { countText } from './count-text.ts'
import { forbid, refuseInvalid } from './refusals.ts'
import { isReady } from './processing.ts'
import { shownText } from './shown-text.ts'
import { findMedia, type Site } from './site.ts'
import type { Media, Post } from './state.ts'

const MAX_WEIGHT = 280
/** X does not say how long it looks back for a repeat. */
const REPEAT_MS = 24 * 3_600_000

const Body = z.strictObject({
  text: z.string().optional(),
  media: z
    .strictObject({
      media_ids: z
        .array(z.string().regex(/^[0-9]{1,19}$/))
        .min(1)
        .max(4),
      tagged_user_ids: z.array(z.string()).max(10).optional(),
    })
    .optional(),
  reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
})

/** `POST /2/tweets` */
export function createPost(site: Site, call: Call): Answer {
  const account = authenticate(site, call, ['tweet.read', 'tweet.write', 'users.read'])
  const { text = '', media, reply_settings: replySettings = 'everyone' } = readBody(call)
  const files = checkMedia(site, account.id, media?.media_ids ?? [])
  checkText(text, files.length > 0)
  refuseRepeat(site, { accountId: account.id, text, files })
  const post: Post = {
    id: site.newId(),
    accountId: account.id,
    text,
    mediaIds: files.map(({ id }) => id),
    replySettings,
    createdAt: new Date(site.now()).toISOString(),
  }
  site.record({ type: 'post-made', post })
  const data = { id: post.id, text: shownText(site, post).text, edit_history_tweet_ids: [post.id] }
  return { ...jsonAnswer(201, { data }), applied: post.id }
}

/** The JSON object of a body; anything else is an invalid request. */
export function readJsonBody(call: Call): unknown {
  try {
    return JSON.parse(call.body.toString())
  } catch {
    return refuseInvalid('body', '', 'Request body must be valid JSON.')
  }
}

function readBody(call: Call): z.infer<typeof Body> {
  const value = readJsonBody(call)
  const parsed = Body.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.')
  return refuseInvalid(path ?? '', value, `$.${path ?? ''}: ${issue?.message ?? 'is not valid'}`)
}

function checkText(text: string, hasMedia: boolean): void {
  if (text.trim() === '' && !hasMedia)
    refuseInvalid('text', text, 'Invalid text: a post needs text or media.')
  if (/[\uFFFE\uFEFF\uFFFF]/.test(text)) refuseInvalid('text', text, 'Invalid characters in text.')
  if (countText(text) > MAX_WEIGHT)
    forbid(
      'Your Tweet text is too long. For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.',
    )
  const failure = failureIn(text)
  if (failure !== null) forbid(`You are not permitted to post this: ${failure}.`)
  const cashtags = text.match(
    /(?<![\p{L}\p{N}$])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{N}])/giu,
  )
  if ((cashtags?.length ?? 0) > 1) forbid('You are not permitted to use more than one cashtag.')
}

function checkMedia(site: Site, accountId: string, ids: string[]): Media[] {
  const files = ids.flatMap((id) => findMedia(site, id, accountId) ?? [])
  const isMixed = files.length > 1 && files.some(({ category }) => category !== 'tweet_image')
  if (files.length < ids.length || isMixed || !files.every((file) => isReady(site, file)))
    refuseInvalid('media.media_ids', ids, 'Your media IDs are invalid.')
  return files
}

/** The same words again, without files in either, are a repeat. */
function refuseRepeat(
  site: Site,
  { accountId, text, files }: { accountId: string; text: string; files: Media[] },
): void {
  if (files.length > 0) return
  const since = site.now() - REPEAT_MS
  const isRepeat = [...site.state.posts.values()].some(
    (post) =>
      post.accountId === accountId &&
      post.text === text &&
      post.mediaIds.length === 0 &&
      Date.parse(post.createdAt) > since,
  )
  if (isRepeat) forbid('You are not allowed to create a Tweet with duplicate content.')
}
