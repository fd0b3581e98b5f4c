import type { Answer } from '../../platform.ts'
import { CHARACTERS_PER_URL, MAX_CHARACTERS } from './length.ts'
import { MAX_MEDIA } from './post-status.ts'
import { MEDIA_LIMITS } from './media-limits.ts'

const VERSION = '4.5.0'
const NAME = 'Herald sandbox'
const ABOUT = 'A stand-in of Mastodon.'

function configuration() {
  return {
    accounts: { max_featured_tags: 10, max_pinned_statuses: 5 },
    statuses: {
      max_characters: MAX_CHARACTERS,
      max_media_attachments: MAX_MEDIA,
      characters_reserved_per_url: CHARACTERS_PER_URL,
    },
    media_attachments: {
      supported_mime_types: MEDIA_LIMITS.mimeTypes,
      description_limit: MEDIA_LIMITS.description,
      image_size_limit: MEDIA_LIMITS.imageBytes,
      image_matrix_limit: MEDIA_LIMITS.imagePixels,
      video_size_limit: MEDIA_LIMITS.videoBytes,
      video_frame_rate_limit: 120,
      video_matrix_limit: 8_294_400,
    },
    polls: {
      max_options: 4,
      max_characters_per_option: 50,
      min_expiration: 300,
      max_expiration: 2_629_746,
    },
  }
}

/** GET /api/v1/instance. */
export function instanceV1(url: string): Answer {
  const body = {
    uri: new URL(url).host,
    title: NAME,
    short_description: ABOUT,
    description: ABOUT,
    version: VERSION,
    languages: ['en'],
    registrations: false,
    configuration: configuration(),
  }
  return { status: 200, body }
}

/** GET /api/v2/instance. */
export function instanceV2(url: string): Answer {
  const body = {
    domain: new URL(url).host,
    title: NAME,
    version: VERSION,
    source_url: 'https://github.com/mastodon/mastodon',
    description: ABOUT,
    languages: ['en'],
    configuration: { urls: {}, ...configuration() },
    registrations: { enabled: false, approval_required: false, message: null },
    contact: { email: '', account: null },
    rules: [],
    api_versions: { mastodon: 7 },
  }
  return { status: 200, body }
}
