import type { MediaType } from '@herald/contracts/media'

/** What is known of a file whose bytes were read to their end. Sizes in bytes and pixels, the duration in seconds. */
export type VerifiedFile = {
  type: MediaType
  mimeType: string
  sizeBytes: number
  width: number | null
  height: number | null
  durationSeconds: number | null
  pages: number | null
  isAnimated: boolean
  /** Of the bytes, in hex. */
  sha256: string
  /** Where the bytes are kept, under a key that no client was ever given. */
  objectKey: string
  thumbnailKey: string | null
}

/** What can happen to a file. Stored as it stands here; times are ISO 8601 in UTC. */
export type MediaEvent =
  | {
      type: 'UploadStarted'
      organizationId: string
      createdAt: string
      expiresAt: string
      actor: string
      fileName: string
      altText: string | null
      mimeType: string
      mediaType: MediaType
      sizeBytes: number
      /** Where the client may put the bytes. */
      stagingKey: string
    }
  | {
      type: 'MediaImported'
      organizationId: string
      createdAt: string
      actor: string
      fileName: string
      altText: string | null
      file: VerifiedFile
    }
  | { type: 'UploadCompleted'; file: VerifiedFile }
  | { type: 'UploadFailed' }
  | { type: 'MediaDescribed'; description: string }
  | { type: 'MediaDeleted'; actor: string }

export type MediaEventOf<Type extends MediaEvent['type']> = Extract<MediaEvent, { type: Type }>
