import type { MediaType } from '@herald/contracts/media'
import type { MediaEvent, VerifiedFile } from './events.ts'

type Common = {
  organizationId: string
  createdAt: string
  fileName: string
  altText: string | null
}

/** An upload that was announced: its bytes are reserved until it is completed or its window has passed. */
export type PendingMedia = Common & {
  status: 'pending'
  mediaType: MediaType
  mimeType: string
  sizeBytes: number
  expiresAt: string
  stagingKey: string
}
export type FailedMedia = Omit<PendingMedia, 'status'> & { status: 'failed' }
export type ReadyMedia = Common & {
  status: 'ready'
  file: VerifiedFile
  description: string | null
  /** Null for a file that was imported. */
  stagingKey: string | null
}
export type ExistingMedia = PendingMedia | FailedMedia | ReadyMedia
export type MediaState = { status: 'absent' } | { status: 'removed' } | ExistingMedia

/** Whether there is a file to speak of. */
export function exists(state: MediaState): state is ExistingMedia {
  return state.status !== 'absent' && state.status !== 'removed'
}

/** Applies one event. An event that does not fit the state changes nothing. */
export function evolve(state: MediaState, event: MediaEvent): MediaState {
  switch (event.type) {
    case 'UploadStarted': {
      const { type: _type, actor: _actor, ...upload } = event
      return { status: 'pending', ...upload }
    }
    case 'MediaImported': {
      const { organizationId, createdAt, fileName, altText, file } = event
      const common = { organizationId, createdAt, fileName, altText }
      return { status: 'ready', ...common, file, description: null, stagingKey: null }
    }
    case 'UploadCompleted': {
      if (state.status !== 'pending') return state
      const { organizationId, createdAt, fileName, altText, stagingKey } = state
      const common = { organizationId, createdAt, fileName, altText, stagingKey }
      return { status: 'ready', ...common, file: event.file, description: null }
    }
    case 'UploadFailed':
      return state.status === 'pending' ? { ...state, status: 'failed' } : state
    case 'MediaDescribed':
      return state.status === 'ready' ? { ...state, description: event.description } : state
    case 'MediaDeleted':
      return { status: 'removed' }
  }
}
