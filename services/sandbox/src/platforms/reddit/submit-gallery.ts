import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { readForm } from '../../read-form.ts'
import { authenticate } from './authenticate.ts'
import { checkPlace, checkTitle, flag, newPost } from './post.ts'
import { refuse, refusePost } from './refusals.ts'
import { permalink, type Reddit } from './server.ts'
import type { Post } from './state.ts'
import { ownFile } from './uploads.ts'

const MAX_CAPTION = 180

const text = z.string().catch('')
const Fields = z.object({
  sr: text,
  title: text,
  text,
  flair_id: text,
  nsfw: flag,
  spoiler: flag,
  items: z
    .array(z.object({ media_id: z.string(), caption: z.string().default('') }))
    .min(2)
    .max(20)
    .optional()
    .catch(undefined),
})

/** `POST /api/submit_gallery_post.json`: two to twenty pictures, in a post that is there at once. */
export async function submitGallery(reddit: Reddit, call: Call): Promise<Answer> {
  const account = authenticate(reddit, call, 'submit')
  const form = await readForm(call)
  if (!form) refuse(400)
  const fields = Fields.parse(form.fields)
  const subreddit = checkPlace(fields.sr, 'gallery')
  checkTitle(fields.title)
  subreddit.checkWait()
  const items = fields.items ?? []
  const files = items.flatMap(({ media_id }) => ownFile(reddit, account, media_id) ?? [])
  const isWhole = files.length > 1 && files.length === items.length
  if (!isWhole || files.some(({ mimeType }) => !mimeType.startsWith('image/')))
    refusePost('INVALID_OPTION', 'that option is not valid', 'items')
  if (items.some(({ caption }) => Array.from(caption).length > MAX_CAPTION))
    refusePost('TOO_LONG', `this is too long (max: ${MAX_CAPTION})`, 'caption')
  subreddit.checkFlair(fields.flair_id)
  const post: Post = {
    ...newPost(reddit, account, fields),
    kind: 'gallery',
    link: null,
    assetIds: files.map(({ assetId }) => assetId),
    readyAt: reddit.now(),
    isBroken: false,
  }
  reddit.record({ type: 'post-submitted', post })
  const data = { url: `${reddit.baseUrl()}${permalink(post)}`, id: `t3_${post.id}` }
  return { ...jsonAnswer(200, { json: { errors: [], data } }), applied: post.id }
}
