import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { MAX_CHARACTERS, statusLength } from './length.ts'
import { failure } from './manners.ts'
import type { Mastodon, Media, Status } from './tables.ts'
import { mediaType, statusView } from './views.ts'

const REMEMBERED_FOR_MS = 3_600_000
export const MAX_MEDIA = 4

/** Forms say everything in text, JSON may use its own types. */
const Flag = z.preprocess(
  (value) => [true, 'true', '1', 1, 'on'].includes(value as never),
  z.boolean(),
)
const Text = z.coerce
  .string()
  .nullish()
  .transform((text) => (text ?? '').trim())
const NewStatus = z.object({
  status: Text,
  spoiler_text: Text,
  visibility: z.enum(['public', 'unlisted', 'private', 'direct']).nullish(),
  sensitive: Flag,
  language: z.string().nullish(),
  in_reply_to_id: z.coerce.string().nullish(),
  media_ids: z.array(z.coerce.string()).nullish(),
  scheduled_at: z.string().nullish(),
})
type NewStatus = z.infer<typeof NewStatus>

/** POST /api/v1/statuses. A repeat with the same Idempotency-Key within an hour is answered with the first status. */
export function postStatus(mastodon: Mastodon, account: string, request: Request): Answer {
  const key = request.get('idempotency-key')
  const now = mastodon.core.clock.now()
  const remembered = key ? mastodon.idempotency.get(`${account}:${key}`) : undefined
  if (remembered && now - remembered.atMs < REMEMBERED_FOR_MS) {
    const status = mastodon.statuses.get(remembered.statusId)
    if (status) return { status: 200, body: statusView(mastodon, status) }
  }
  const parsed = NewStatus.safeParse(request.body ?? {})
  if (!parsed.success) return failure(422, `Validation failed: ${parsed.error.issues[0]?.message}`)
  const refused = refusalOf(mastodon, account, parsed.data)
  if (refused) return refused
  const status = publish(mastodon, account, parsed.data)
  if (key) mastodon.idempotency.put(`${account}:${key}`, { statusId: status.id, atMs: now })
  return { status: 200, body: statusView(mastodon, status), applied: true }
}

function refusalOf(mastodon: Mastodon, account: string, input: NewStatus): Answer | undefined {
  const { status, spoiler_text: spoilerText, media_ids: mediaIds } = input
  if (input.scheduled_at) return failure(422, 'The sandbox does not schedule posts')
  if (input.in_reply_to_id && !mastodon.statuses.get(input.in_reply_to_id))
    return failure(404, 'The post you are trying to reply to does not appear to exist.')
  const media = refusalOfMedia(mastodon, account, mediaIds ?? [])
  if (media) return failure(422, media)
  if (status === '' && spoilerText === '' && !mediaIds?.length)
    return failure(422, "Validation failed: Text can't be blank")
  if (statusLength(spoilerText, status) > MAX_CHARACTERS)
    return failure(422, `Validation failed: Text character limit of ${MAX_CHARACTERS} exceeded`)
  return undefined
}

function refusalOfMedia(mastodon: Mastodon, account: string, ids: string[]): string | undefined {
  if (ids.length > MAX_MEDIA) return `Cannot attach more than ${MAX_MEDIA} files`
  const found = ids.map((id) => mastodon.media.get(id)).filter((media) => media !== undefined)
  const usable = found.filter((media) => media.account === account && !media.attached)
  const missing = ids.filter((id) => !usable.some((media) => media.id === id))
  if (missing.length > 0)
    return `Media ${missing.join(', ')} not found or already attached to another post`
  if (usable.length > 1 && usable.some(({ mimeType }) => mediaType(mimeType) !== 'image'))
    return 'Cannot attach a video to a post that already contains images'
  if (usable.some(({ readyAtMs }) => mastodon.core.clock.now() < readyAtMs))
    return 'Cannot attach files that have not finished processing. Try again in a moment!'
  return undefined
}

function publish(mastodon: Mastodon, account: string, input: NewStatus): Status {
  const { status: text, spoiler_text: spoilerText, media_ids: mediaIds } = input
  const status: Status = {
    id: mastodon.newId(),
    account,
    // A content warning without a text is the text.
    text: text || spoilerText,
    spoilerText: text ? spoilerText : '',
    visibility: input.visibility ?? 'public',
    sensitive: input.sensitive || (text !== '' && spoilerText !== ''),
    language: input.language ?? null,
    inReplyToId: input.in_reply_to_id ?? null,
    mediaIds: mediaIds ?? [],
    at: mastodon.core.clock.iso(),
  }
  mastodon.statuses.put(status.id, status)
  for (const id of status.mediaIds) attach(mastodon, mastodon.media.get(id))
  return status
}

function attach(mastodon: Mastodon, media: Media | undefined): void {
  if (media) mastodon.media.put(media.id, { ...media, attached: true })
}
