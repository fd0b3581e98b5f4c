import { PinterestOptions } from '@herald/contracts/options/pinterest'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { isBlank } from '../blank.ts'
import { readOptions } from '../options.ts'
import type { Live, NotPublished, PublishInput, Settings } from '../platform.ts'
import type { Step } from './step.ts'

const PinOptions = PinterestOptions.required({ boardId: true })
export type PinOptions = z.infer<typeof PinOptions>

/** A pin as the API answers it; only what Herald looks at. */
export const Pin = z.object({
  id: z.string().min(1),
  created_at: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  link: z.string().nullish(),
})
export type Pin = z.infer<typeof Pin>

/** The options of a pin, of which the board must be there. */
export function readPin(
  input: PublishInput,
): { outcome: 'read'; options: PinOptions } | Extract<NotPublished, { outcome: 'permanent' }> {
  return readOptions(PinOptions, input)
}

/** What is pinned, or undefined when a file of it is not ready. A carousel has the alt text of its first picture. */
export function bodyOf(
  { text, media }: PublishInput,
  { boardId, title, link, coverOffsetSeconds = 0 }: PinOptions,
  { images = [], video }: Step,
): Record<string, unknown> | undefined {
  const source = video
    ? {
        source_type: 'video_id',
        media_id: video.mediaId,
        // Whole seconds.
        cover_image_key_frame_time: Math.floor(coverOffsetSeconds),
      }
    : imageSource(images)
  const isReady = video ? video.isProcessed : images.length === media.length
  if (!source || !isReady) return undefined
  return {
    board_id: boardId,
    ...(title !== undefined && !isBlank(title) && { title }),
    ...(!isBlank(text) && { description: text }),
    ...(link !== undefined && { link }),
    ...(media[0]?.altText && { alt_text: media[0].altText }),
    media_source: source,
  }
}

function imageSource([first, ...others]: string[]): Record<string, unknown> | undefined {
  if (first === undefined) return undefined
  if (others.length === 0) return { source_type: 'image_url', url: first }
  const items = [first, ...others].map((url) => ({ url }))
  return { source_type: 'multiple_image_urls', items, index: 0 }
}

export function liveOf({ id }: Pick<Pin, 'id'>, settings: Settings, publishedAt: number): Live {
  return {
    platformPostId: id,
    url: addressOf(settings['webUrl'] ?? '', `/pin/${id}/`),
    publishedAt: new Date(publishedAt).toISOString(),
  }
}

/** When a pin was made, in milliseconds since 1970, where it says so. Times without an offset are in UTC. */
export function createdAt({ created_at: text }: Pin): number | undefined {
  if (!text) return undefined
  const at = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? undefined : at
}
