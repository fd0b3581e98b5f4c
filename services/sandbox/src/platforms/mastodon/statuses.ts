import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { escapeHtml, graphemes } from '../../count.ts'
import type { Account, LivePost, StoredMedia } from '../../ledger.ts'
import type { Answer } from '../../respond.ts'
import { nowIso, type World } from '../../world.ts'
import { showAccount } from './accounts.ts'
import { LIMITS } from './instance.ts'
import { showMedia } from './media.ts'

const KEY_LIFETIME_MS = 3_600_000
const LINK = /https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]}]/giu
const REMOTE_MENTION = /(?<![\w/])@(\w+(?:[\w.-]*\w)?)@[\p{L}\p{N}.-]+[\p{L}\p{N}]/giu

const isTrue = z.union([z.boolean(), z.enum(['true', '1', 'false', '0'])])
const NewStatus = z.object({
  status: z.string().nullish(),
  media_ids: z.array(z.string()).nullish(),
  visibility: z.enum(['public', 'unlisted', 'private', 'direct']).nullish(),
  sensitive: isTrue.nullish(),
  spoiler_text: z.string().nullish(),
  language: z.string().nullish(),
})

/** Keys that were used within the last hour, and the status each one made. */
export type IdempotencyKeys = Map<string, { id: string; at: number }>

/** `POST /api/v1/statuses`. The same key of the same account gives the same status for an hour. */
export function createStatus(
  world: World,
  keys: IdempotencyKeys,
  account: Account,
  body: unknown,
  idempotencyKey: string | undefined,
): { answer: Answer; applied: boolean } {
  const key = idempotencyKey === undefined ? undefined : `${account.id}/${idempotencyKey}`
  const used = key === undefined ? undefined : keys.get(key)
  const earlier =
    used && used.at > world.now() - KEY_LIFETIME_MS
      ? world.ledger.posts.find(({ id }) => id === used.id)
      : undefined
  if (earlier)
    return { answer: { status: 200, body: showStatus(world, account, earlier) }, applied: false }
  const parsed = NewStatus.safeParse(body)
  if (!parsed.success) return refuse('Validation failed: the parameters are not valid')
  const media = (parsed.data.media_ids ?? []).map((id) => world.ledger.media.get(id))
  const problem = problemOf(parsed.data, media, account)
  if (problem !== undefined) return refuse(problem)
  const post = makePost(
    world,
    account,
    parsed.data,
    media.filter((one) => one !== undefined),
  )
  world.ledger.write({ kind: 'post', post })
  if (key !== undefined) keys.set(key, { id: post.id, at: world.now() })
  return { answer: { status: 200, body: showStatus(world, account, post) }, applied: true }
}

/** The length as Mastodon counts. */
export function countCharacters(text: string, spoilerText: string): number {
  const counted = text
    .replace(LINK, 'x'.repeat(LIMITS.charactersPerUrl))
    .replace(REMOTE_MENTION, '@$1')
  return graphemes(counted) + graphemes(spoilerText)
}

function problemOf(
  { status, spoiler_text: spoilerText }: z.infer<typeof NewStatus>,
  media: (StoredMedia | undefined)[],
  account: Account,
): string | undefined {
  const text = status ?? ''
  if (text.trim() === '' && media.length === 0) return "Validation failed: Text can't be blank"
  if (countCharacters(text, spoilerText ?? '') > LIMITS.maxCharacters)
    return `Validation failed: Text character limit of ${LIMITS.maxCharacters} exceeded`
  if (media.length > LIMITS.maxMedia) return 'Validation failed: Cannot attach more than 4 files'
  if (media.some((one) => one?.account !== account.id))
    return 'Validation failed: Media could not be found'
  const videos = media.filter((one) => one?.mimeType.startsWith('video/')).length
  if (videos > 0 && media.length > 1)
    return 'Validation failed: Cannot attach a video to a post that already contains images'
  return undefined
}

function refuse(error: string): { answer: Answer; applied: boolean } {
  return { answer: { status: 422, body: { error } }, applied: false }
}

function makePost(
  world: World,
  account: Account,
  fields: z.infer<typeof NewStatus>,
  media: StoredMedia[],
): LivePost {
  const id = `11${world.now()}${randomInt(1e4).toString().padStart(4, '0')}`
  return {
    platform: 'MASTODON',
    account: account.id,
    id,
    url: `${world.url()}/mastodon/@${account.username}/${id}`,
    text: fields.status ?? '',
    media,
    at: nowIso(world),
    record: {
      visibility: fields.visibility ?? 'public',
      sensitive: String(fields.sensitive) === 'true',
      spoiler_text: fields.spoiler_text ?? '',
      language: fields.language ?? null,
    },
  }
}

/** A status as Mastodon shows it. */
export function showStatus(world: World, account: Account, post: LivePost) {
  return {
    id: post.id,
    created_at: post.at,
    in_reply_to_id: null,
    ...post.record,
    uri: `${world.url()}/mastodon/users/${account.username}/statuses/${post.id}`,
    url: post.url,
    content: toHtml(post.text),
    account: showAccount(world, account),
    media_attachments: post.media.map((media) => showMedia(world, media)),
    mentions: [],
    tags: [],
    emojis: [],
    replies_count: 0,
    reblogs_count: 0,
    favourites_count: 0,
  }
}

/** Mastodon shows a link shortened, with its hidden parts in spans. */
function toHtml(text: string): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => {
    const html = paragraph.split(new RegExp(`(${LINK.source})`, 'giu')).map((part, index) => {
      return index % 2 === 1 ? linkHtml(part) : escapeHtml(part)
    })
    return `<p>${html.join('').replaceAll('\n', '<br />')}</p>`
  })
  return paragraphs.join('')
}

function linkHtml(link: string): string {
  const scheme = /^https?:\/\/(?:www\.)?/i.exec(link)?.[0] ?? ''
  const rest = link.slice(scheme.length)
  const [shown, hidden] = [rest.slice(0, 30), rest.slice(30)]
  return `<a href="${escapeHtml(link)}" rel="nofollow noopener" target="_blank"><span class="invisible">${escapeHtml(scheme)}</span><span class="${hidden ? 'ellipsis' : ''}">${escapeHtml(shown)}</span><span class="invisible">${escapeHtml(hidden)}</span></a>`
}
