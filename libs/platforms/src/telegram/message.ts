import type { TelegramOptions } from '@herald/contracts/options/telegram'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { imageShare } from '../check-total.ts'
import { fileNameOf, fittedFile } from '../commit-files.ts'
import type { Upload } from '../file-upload.ts'
import type { FilePart } from '../multipart.ts'
import {
  FileUnfit,
  type ImageLimits,
  type Live,
  type PublishFile,
  type PublishInput,
} from '../platform.ts'
import { type Kind, kindOf } from './kinds.ts'
import { MAX_PHOTO_BYTES, MAX_PHOTO_SIDE, TOTAL } from './limits.ts'

type Options = z.infer<typeof TelegramOptions>

/** A message as the Bot API answers it; only what Herald looks at. */
export const Message = z.object({
  message_id: z.number(),
  /** Unix seconds. */
  date: z.number(),
  chat: z.object({ id: z.number(), username: z.string().optional() }),
})
export type Message = z.infer<typeof Message>

/** Where and since when a message is live. One in a chat without a name is shown to its members alone. */
export function liveOf({ message_id: id, date, chat }: Message, { settings }: PublishInput): Live {
  const place = chat.username ?? `c/${String(chat.id).replace(/^-(100)?/, '')}`
  return {
    platformPostId: String(id),
    url: addressOf(settings['appUrl'] ?? '', `/${place}/${id}`),
    publishedAt: new Date(date * 1000).toISOString(),
  }
}

/** A file as it is sent, with what it is shown as. */
type Item = { kind: Kind; upload: Upload; file: PublishFile }

/** The files in the form in which they are sent. Rejects as reading the files does. */
export async function itemsOf({ media }: Pick<PublishInput, 'media'>): Promise<Item[]> {
  const limits = imageLimitsFor(media)
  return await Promise.all(
    media.map(async (file) => ({
      kind: kindOf(file),
      upload: await fittedFile(file, limits),
      file,
    })),
  )
}

/** The method that sends a post, its fields as the Bot API takes them in JSON, and its files. */
export type Sending = { method: string; fields: Record<string, unknown>; files: FilePart[] }

export function sendingOf(input: PublishInput, options: Options, items: Item[]): Sending {
  const { disableNotification, disableLinkPreview, protectContent, parseMode } = options
  const fields = {
    chat_id: input.account,
    ...(disableNotification && { disable_notification: true }),
    ...(protectContent && { protect_content: true }),
  }
  const format = parseMode && { parse_mode: parseMode }
  const preview = disableLinkPreview && { link_preview_options: { is_disabled: true } }
  const [only, ...others] = items
  if (!only)
    return {
      method: 'sendMessage',
      fields: { ...fields, text: input.text, ...format, ...preview },
      files: [],
    }
  const caption = input.text.trim() === '' ? {} : { caption: input.text, ...format }
  const files = items.map(partOf)
  if (others.length === 0)
    return {
      method: METHODS[only.kind],
      fields: { ...fields, ...caption, [only.kind]: 'attach://file1', ...factsOf(only) },
      files,
    }
  const media = items.map((item, index) => ({
    type: item.kind,
    media: `attach://file${index + 1}`,
    // The text of the first one is shown below the album.
    ...(index === 0 && caption),
    ...factsOf(item),
  }))
  return { method: 'sendMediaGroup', fields: { ...fields, media }, files }
}

const METHODS: Record<Kind, string> = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  animation: 'sendAnimation',
  document: 'sendDocument',
}

function partOf({ kind, upload: { mimeType, body } }: Item, index: number): FilePart {
  const name = `file${index + 1}`
  return { name, fileName: fileNameOf(`${kind}${index + 1}`, mimeType), mimeType, body }
}

/** Without its size a video would be shown as a square until it is opened. */
function factsOf({ kind, file }: Item): Record<string, unknown> {
  if (kind !== 'video' && kind !== 'animation') return {}
  const { width, height, durationSeconds } = file
  return {
    ...(width !== null && height !== null && { width, height }),
    ...(durationSeconds !== null && { duration: Math.round(durationSeconds) }),
    ...(kind === 'video' && { supports_streaming: true }),
  }
}

/** All files travel in one request: pictures share what the others leave. Throws `FileUnfit`. */
function imageLimitsFor(media: readonly PublishFile[]): ImageLimits {
  const share = imageShare(media, TOTAL)
  if (share <= 0)
    throw new FileUnfit('The files are larger together than what Telegram takes in one post.')
  return {
    mimeTypes: ['image/jpeg', 'image/png'],
    maxBytes: Math.min(MAX_PHOTO_BYTES, share),
    maxWidth: MAX_PHOTO_SIDE,
    maxHeight: MAX_PHOTO_SIDE,
  }
}
