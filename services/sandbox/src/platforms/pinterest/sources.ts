import { z } from 'zod'
import type { Account } from '../../oauth/state.ts'
import { describe, type FetchedFile, fetchFile } from '../../fetch-file.ts'
import { statusOf } from './media.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import type { Pinterest } from './server.ts'
import type { StoredFile } from './state.ts'

const IMAGE_BYTES = 20 * 1024 * 1024
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

const ByUrl = z.object({ url: z.string() })
const InLine = z.object({ content_type: z.enum(['image/jpeg', 'image/png']), data: z.base64() })
const several = <Item extends z.ZodType>(item: Item) => z.array(item).min(2).max(5)

const Source = z.discriminatedUnion('source_type', [
  ByUrl.extend({ source_type: z.literal('image_url') }),
  InLine.extend({ source_type: z.literal('image_base64') }),
  z.object({ source_type: z.literal('multiple_image_urls'), items: several(ByUrl) }),
  z.object({ source_type: z.literal('multiple_image_base64'), items: several(InLine) }),
  z.object({
    source_type: z.literal('video_id'),
    media_id: z.string().regex(/^\d+$/),
    cover_image_url: z.string().optional(),
    cover_image_content_type: z.string().optional(),
    cover_image_data: z.string().optional(),
    cover_image_key_frame_time: z.int().min(0).optional(),
  }),
])
type Source = z.infer<typeof Source>

/** The files of a pin: pictures are fetched from where they are, a video was uploaded before. */
export async function filesOf(
  pinterest: Pinterest,
  account: Account,
  given: unknown,
): Promise<StoredFile[]> {
  const parsed = Source.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    refuseInvalid(`media_source.${issue?.path.join('.')} is not valid: ${issue?.message}`)
  }
  const source = parsed.data
  if (source.source_type === 'video_id') return [await videoOf(pinterest, account, source)]
  const images = await Promise.all(itemsOf(source).map(imageOf))
  const [first, ...others] = images
  if (others.some(({ width, height }) => width !== first?.width || height !== first.height))
    refuseInvalid('all images of a carousel must have the same size')
  return images.map((image) => keep(pinterest, image))
}

type Item = z.infer<typeof ByUrl> | z.infer<typeof InLine>

function itemsOf(source: Exclude<Source, { source_type: 'video_id' }>): Item[] {
  return 'items' in source ? source.items : [source]
}

async function imageOf(item: Item): Promise<FetchedFile> {
  const file =
    'url' in item
      ? await fetchFile(item.url, IMAGE_BYTES)
      : describe(Buffer.from(item.data, 'base64'), item.content_type)
  if ('problem' in file)
    refuse(
      400,
      1,
      file.problem === 'unreachable'
        ? 'Unable to reach the URL. Please check the URL is correct and try again.'
        : 'The image is larger than 20 MB.',
    )
  if (!IMAGE_TYPES.includes(file.mimeType) || file.width === null)
    refuse(400, 1, 'The image is not valid: its type is not supported.')
  return file
}

function keep({ files }: Pinterest, { bytes, mimeType, width, height }: FetchedFile): StoredFile {
  return { mimeType, sizeBytes: bytes.length, sha256: files.put(bytes), width, height }
}

async function videoOf(
  pinterest: Pinterest,
  account: Account,
  source: Extract<Source, { source_type: 'video_id' }>,
): Promise<StoredFile> {
  const media = pinterest.state.media.get(source.media_id)
  if (media?.accountId !== account.id || !media.file) refuse(404, 50, 'Media not found.')
  const status = statusOf(pinterest, media)
  if (status !== 'succeeded') refuse(400, 1, `The video is not ready: its status is ${status}.`)
  if (source.cover_image_url !== undefined) await imageOf({ url: source.cover_image_url })
  else if (source.cover_image_data === undefined && source.cover_image_key_frame_time === undefined)
    refuse(400, 1, 'A video pin needs a cover image.')
  return media.file
}
