import { createHash } from 'node:crypto'
import type { DiscordOptions } from '@herald/contracts/options/discord'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { imageShare } from '../check-total.ts'
import { fileNameOf, fittedFile } from '../commit-files.ts'
import type { FilePart } from '../multipart.ts'
import {
  FileUnfit,
  type ImageLimits,
  type Live,
  type PublishFile,
  type PublishInput,
} from '../platform.ts'
import { DiscordLimits, MAX_FILE_BYTES, TOTAL } from './limits.ts'

/** A message as Discord answers it; only what Herald looks at. */
export const Message = z.object({
  id: z.string().min(1),
  channel_id: z.string().min(1),
  content: z.string().default(''),
  timestamp: z.iso.datetime({ offset: true }),
  author: z.object({ id: z.string() }),
  nonce: z.union([z.string(), z.number()]).nullish(),
  attachments: z.array(z.object({ filename: z.string() })).default([]),
})
export type Message = z.infer<typeof Message>

/** Where and since when a message is live. */
export function liveOf(message: Message, { settings, limits }: PublishInput): Live {
  // The app finds a message by its channel; a channel from before its guild was kept has no better address.
  const guildId = DiscordLimits.safeParse(limits).data?.guildId ?? '@me'
  const path = `/channels/${guildId}/${message.channel_id}/${message.id}`
  return {
    platformPostId: message.id,
    url: addressOf(settings['appUrl'] ?? '', path),
    publishedAt: new Date(message.timestamp).toISOString(),
  }
}

/** The key of a post and channel as a nonce: 25 characters at most. */
export function nonceOf({ idempotencyKey }: Pick<PublishInput, 'idempotencyKey'>): string {
  return createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 25)
}

/** What the names of a post's files have in common, and those of no other post. */
export function fileMark(input: Pick<PublishInput, 'idempotencyKey'>): string {
  return nonceOf(input).slice(0, 12)
}

/** The files as parts of a form. Rejects as reading the files does. */
export async function filesOf(input: PublishInput): Promise<FilePart[]> {
  const limits = imageLimitsFor(input.media)
  const mark = fileMark(input)
  const uploads = await Promise.all(input.media.map((file) => fittedFile(file, limits)))
  return uploads.map(({ mimeType, body }, index) => ({
    name: `files[${index}]`,
    fileName: fileNameOf(`file${index + 1}-${mark}`, mimeType),
    mimeType,
    body,
  }))
}

/** The JSON of a message. Nobody is notified by a name in it. A webhook knows no nonce. */
export function bodyOf(
  input: PublishInput,
  options: z.infer<typeof DiscordOptions>,
  files: readonly FilePart[],
  hasNonce: boolean,
): Record<string, unknown> {
  const flags = (options.suppressEmbeds ? 1 << 2 : 0) | (options.silent ? 1 << 12 : 0)
  return {
    content: input.text,
    allowed_mentions: { parse: [] },
    ...(hasNonce && { nonce: nonceOf(input), enforce_nonce: true }),
    ...(flags !== 0 && { flags }),
    ...(files.length > 0 && {
      attachments: files.map(({ fileName }, index) => ({
        id: index,
        filename: fileName,
        ...(input.media[index]?.altText && { description: input.media[index].altText }),
      })),
    }),
  }
}

/** All files travel in one request: pictures share what the others leave. Throws `FileUnfit`. */
function imageLimitsFor(media: readonly PublishFile[]): ImageLimits {
  if (media.some(({ type, sizeBytes }) => type !== 'image' && sizeBytes > MAX_FILE_BYTES))
    throw new FileUnfit(`A file is larger than the ${MAX_FILE_BYTES} bytes that Discord takes.`)
  const share = imageShare(media, TOTAL)
  if (share <= 0)
    throw new FileUnfit('The files are larger together than what Discord takes in one message.')
  return {
    mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
    maxBytes: Math.min(MAX_FILE_BYTES, share),
  }
}
