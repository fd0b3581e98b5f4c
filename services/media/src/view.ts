import { AppError } from '@herald/contracts/errors'
import type { AttachedMedia, Media, StoredMedia } from '@herald/contracts/media'
import type { MediaState } from './domain/state.ts'
import { mediaStream } from './media-stream.ts'
import type { MediaRow } from './schema.ts'

/** How a row is shown: where files are served, and the database's time. */
export type Viewing = { filesUrl: string; now: number }

/** A file as the API shows it. A pending one whose window has passed has failed, also before the sweep has noted it. */
export function toMedia(row: MediaRow, { filesUrl, now }: Viewing): Media {
  const isOver =
    row.status === 'pending' && row.expires_at !== null && Date.parse(row.expires_at) <= now
  return {
    id: row.id,
    type: row.type,
    status: isOver ? 'failed' : row.status,
    fileName: row.file_name,
    mimeType: row.mime_type,
    sizeBytes: row.size_bytes,
    url: urlOf(filesUrl, row.object_key),
    thumbnailUrl: urlOf(filesUrl, row.thumbnail_key),
    width: row.width,
    height: row.height,
    durationSeconds: row.duration_seconds,
    altText: row.alt_text,
    description: row.description,
    createdAt: row.created_at,
  }
}

/** A file as it stands after a command, without asking the database again; 404 when there is none any more. */
export function viewOfState(
  state: MediaState,
  stream: { id: string; version: number },
  viewing: Viewing,
): Media {
  const [row] = (mediaStream.projection.rows(state, stream).media ?? []) as MediaRow[]
  if (!row) throw new AppError('not_found', 'There is no such file.')
  return toMedia(row, viewing)
}

/** A ready file as posts see it. */
export function toAttached(row: MediaRow, filesUrl: string): AttachedMedia {
  return {
    id: row.id,
    type: row.type,
    mimeType: row.mime_type,
    sizeBytes: row.size_bytes,
    width: row.width,
    height: row.height,
    durationSeconds: row.duration_seconds,
    altText: row.alt_text,
    url: urlOf(filesUrl, row.object_key) ?? '',
  }
}

/** A ready file as the publisher fetches it. */
export function toStored(row: MediaRow, filesUrl: string): StoredMedia {
  return {
    ...toAttached(row, filesUrl),
    path: `/${row.object_key}`,
    sha256: row.sha256 ?? '',
    fileName: row.file_name,
  }
}

/** Objects are served under their keys, which nobody can guess. */
function urlOf(filesUrl: string, key: string | null): string | null {
  return key === null ? null : `${filesUrl}/${key}`
}
