import type { ReadTable, Row } from '@herald/event-store/projection'
import type { StreamType } from '@herald/event-store/stream-type'
import type { MediaEvent } from './domain/events.ts'
import { media, type MediaCommand } from './domain/media.ts'
import { type ExistingMedia, exists, type MediaState } from './domain/state.ts'
import { searchTextOf } from './search.ts'

const MEDIA: ReadTable = {
  name: 'media',
  key: ['id'],
  stream: 'id',
  columns: [
    'id',
    'organization_id',
    'version',
    'status',
    'type',
    'mime_type',
    'file_name',
    'alt_text',
    'description',
    'size_bytes',
    'width',
    'height',
    'duration_seconds',
    'pages',
    'is_animated',
    'sha256',
    'object_key',
    'thumbnail_key',
    'staging_key',
    'created_at',
    'expires_at',
    'search',
  ],
}

/** The stream of a file: its decider and the table that is the fold of its events. */
export const mediaStream: StreamType<MediaState, MediaCommand, MediaEvent> = {
  name: 'media',
  decider: media,
  schemaVersion: 1,
  upcasts: [],
  projection: {
    tables: [MEDIA],
    rows: (state, stream) => ({ media: exists(state) ? [rowOf(state, stream)] : [] }),
  },
}

function rowOf(state: ExistingMedia, { id, version }: { id: string; version: number }): Row {
  const description = state.status === 'ready' ? state.description : null
  return {
    id,
    organization_id: state.organizationId,
    version,
    status: state.status,
    file_name: state.fileName,
    alt_text: state.altText,
    description,
    created_at: state.createdAt,
    staging_key: state.stagingKey,
    search: searchTextOf([state.fileName, state.altText, description]),
    ...(state.status === 'ready' ? readyColumns(state.file) : announcedColumns(state)),
  }
}

function readyColumns(file: Extract<ExistingMedia, { status: 'ready' }>['file']): Row {
  return {
    type: file.type,
    mime_type: file.mimeType,
    size_bytes: file.sizeBytes,
    width: file.width,
    height: file.height,
    duration_seconds: file.durationSeconds,
    pages: file.pages,
    is_animated: file.isAnimated,
    sha256: file.sha256,
    object_key: file.objectKey,
    thumbnail_key: file.thumbnailKey,
    expires_at: null,
  }
}

function announcedColumns(state: Exclude<ExistingMedia, { status: 'ready' }>): Row {
  return {
    type: state.mediaType,
    mime_type: state.mimeType,
    size_bytes: state.sizeBytes,
    width: null,
    height: null,
    duration_seconds: null,
    pages: null,
    is_animated: false,
    sha256: null,
    object_key: null,
    thumbnail_key: null,
    expires_at: state.expiresAt,
  }
}
