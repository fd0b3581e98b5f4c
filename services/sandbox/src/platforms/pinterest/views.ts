import type { Pinterest } from './server.ts'
import type { Pin, StoredFile } from './state.ts'

/** Pinterest's times are in UTC and do not say so. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

export function pinUrl(pinterest: Pinterest, { id }: Pin): string {
  return `${pinterest.baseUrl()}/pin/${id}/`
}

export function fileUrl(pinterest: Pinterest, { sha256 }: StoredFile): string {
  return `${pinterest.baseUrl()}/files/${sha256}`
}

export function pinView(pinterest: Pinterest, pin: Pin) {
  return {
    id: pin.id,
    created_at: timeOf(pin.createdAt),
    board_id: pin.boardId,
    board_section_id: null,
    board_owner: { username: pinterest.provider.account(pin.accountId)?.username },
    title: pin.title,
    description: pin.description,
    alt_text: pin.altText,
    link: pin.link,
    dominant_color: null,
    parent_pin_id: null,
    is_owner: true,
    is_standard: true,
    has_been_promoted: false,
    creative_type: creativeType(pin),
    media: mediaView(pinterest, pin),
  }
}

function creativeType({ files: [first, ...others] }: Pin): string {
  if (others.length > 0) return 'CAROUSEL'
  return first?.mimeType.startsWith('video/') ? 'VIDEO' : 'REGULAR'
}

function mediaView(pinterest: Pinterest, { files }: Pin) {
  const [first, ...others] = files
  const imageView = (file: StoredFile) => ({
    images: {
      '600x': { width: file.width, height: file.height, url: fileUrl(pinterest, file) },
    },
  })
  if (!first) return { media_type: 'image' }
  if (first.mimeType.startsWith('video/'))
    return { media_type: 'video', video_url: fileUrl(pinterest, first) }
  return others.length === 0
    ? { media_type: 'image', ...imageView(first) }
    : { media_type: 'multiple_images', items: files.map(imageView) }
}
