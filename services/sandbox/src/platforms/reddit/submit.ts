import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { readForm } from '../../read-form.ts'
import { authenticate } from './authenticate.ts'
import { websocketUrl } from './media.ts'
import { checkPlace, checkTitle, flag, newPost } from './post.ts'
import { refuse, refusePost } from './refusals.ts'
import { permalink, type Reddit } from './server.ts'
import type { Post, StoredFile } from './state.ts'
import { findUpload } from './uploads.ts'

const MAX_TEXT = 40_000
/** How long Reddit takes to make a post of a file. */
const PROCESSING_MS = 1500

const text = z.string().catch('')
const Fields = z.object({
  api_type: text,
  kind: z.enum(['self', 'link', 'image', 'video', 'videogif']).optional().catch(undefined),
  sr: text,
  title: text,
  text,
  url: text,
  video_poster_url: text,
  flair_id: text,
  nsfw: flag,
  spoiler: flag,
  resubmit: flag,
})
type Fields = z.infer<typeof Fields>

/** `POST /api/submit`. The checks are in Reddit's order. */
export async function submit(reddit: Reddit, call: Call): Promise<Answer> {
  const account = authenticate(reddit, call, 'submit')
  const form = await readForm(call)
  if (!form) refuse(400)
  const fields = Fields.parse(form.fields)
  // Without it Reddit answers instructions for its old pages.
  if (fields.api_type !== 'json') refuse(400)
  const { kind } = fields
  if (!kind) refusePost('INVALID_OPTION', 'that option is not valid', 'kind')
  const subreddit = checkPlace(fields.sr, kind)
  checkTitle(fields.title)
  subreddit.checkWait()
  const file = kind === 'self' || kind === 'link' ? undefined : checkFile(reddit, account, fields)
  if (kind === 'link') checkLink(reddit, fields)
  if (Array.from(fields.text).length > MAX_TEXT)
    refusePost('TOO_LONG', `this is too long (max: ${MAX_TEXT})`, 'text')
  subreddit.checkFlair(fields.flair_id)
  const post: Post = {
    ...newPost(reddit, account, fields),
    kind,
    link: kind === 'link' ? fields.url : null,
    assetIds: file ? [file.assetId] : [],
    readyAt: reddit.now() + (file ? PROCESSING_MS : 0),
    isBroken: file !== undefined && cannotBeProcessed(fields, file),
  }
  reddit.record({ type: 'post-submitted', post })
  return accepted(reddit, account, post, file)
}

/** A text or link is there at once; a post of a file is made later, and a websocket tells of it. */
function accepted(
  reddit: Reddit,
  account: Account,
  post: Post,
  file: StoredFile | undefined,
): Answer {
  const base = reddit.baseUrl()
  const data = file
    ? {
        user_submitted_page: `${base}/user/${account.username}/submitted/`,
        websocket_url: websocketUrl(reddit, file.assetId),
      }
    : { url: `${base}${permalink(post)}`, drafts_count: 0, id: post.id, name: `t3_${post.id}` }
  const answer = jsonAnswer(200, { json: { errors: [], data } })
  return post.isBroken ? answer : { ...answer, applied: post.id }
}

function checkLink({ state }: Reddit, { url, sr, resubmit }: Fields): void {
  if (url === '') refusePost('NO_URL', 'a url is required', 'url')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    refusePost('BAD_URL', 'you should check that url', 'url')
  const isThere = [...state.posts.values()].some(
    (post) => post.link === url && post.subreddit.toLowerCase() === sr.toLowerCase(),
  )
  if (isThere && !resubmit) refusePost('ALREADY_SUB', 'that link has already been submitted', 'url')
}

function checkFile(reddit: Reddit, account: Account, fields: Fields): StoredFile {
  const isVideo = fields.kind !== 'image'
  const poster = findUpload(reddit, account, fields.video_poster_url)
  if (isVideo && (fields.url === '' || !poster?.mimeType.startsWith('image/')))
    refusePost('MISSING_VIDEO_URLS', 'Missing video urls', 'video_poster_url')
  const file = findUpload(reddit, account, fields.url)
  if (!file?.mimeType.startsWith(isVideo ? 'video/' : 'image/'))
    refusePost('BAD_URL', 'you should check that url', 'url')
  return file
}

function cannotBeProcessed({ title, text: body }: Fields, { width }: StoredFile): boolean {
  return width === null || `${title} ${body}`.includes('#sandbox-fail')
}
