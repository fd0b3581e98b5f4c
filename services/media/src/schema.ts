import type { MediaStatus, MediaType } from '@herald/contracts/media'

/** The tables of the media database that are read with kysely. Times are ISO strings. */
export type MediaDatabase = { media: MediaRow }

export type MediaRow = {
  id: string
  organization_id: string
  version: number
  status: MediaStatus
  type: MediaType
  mime_type: string
  file_name: string
  alt_text: string | null
  description: string | null
  size_bytes: number
  width: number | null
  height: number | null
  duration_seconds: number | null
  pages: number | null
  is_animated: boolean
  sha256: string | null
  object_key: string | null
  thumbnail_key: string | null
  staging_key: string | null
  created_at: string
  expires_at: string | null
  search: string
}
