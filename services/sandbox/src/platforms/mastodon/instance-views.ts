import { type Answer, jsonAnswer } from '../../call.ts'
import type { Instance } from './instance.ts'
import { LIMITS, MIME_TYPES } from './limits.ts'

const VERSION = '4.5.0'
const TITLE = 'Herald sandbox'

/** `GET /api/v2/instance` */
export function showInstance(instance: Instance): Answer {
  return jsonAnswer(200, {
    domain: instance.domain(),
    title: TITLE,
    version: VERSION,
    source_url: 'https://github.com/mastodon/mastodon',
    description: 'A stand-in of a Mastodon instance.',
    usage: { users: { active_month: instance.state.accounts.size } },
    languages: ['en'],
    configuration: { ...configuration(), translation: { enabled: false } },
    registrations: { enabled: false, approval_required: false, message: null, url: null },
    contact: { email: '', account: null },
    rules: [],
    api_versions: { mastodon: 7 },
  })
}

/** `GET /api/v1/instance` */
export function showInstanceV1(instance: Instance): Answer {
  return jsonAnswer(200, {
    uri: instance.domain(),
    title: TITLE,
    version: VERSION,
    short_description: 'A stand-in of a Mastodon instance.',
    description: '',
    email: '',
    urls: {},
    stats: { user_count: instance.state.accounts.size, status_count: instance.state.statuses.size },
    languages: ['en'],
    registrations: false,
    approval_required: false,
    invites_enabled: false,
    configuration: configuration(),
    contact_account: null,
    rules: [],
  })
}

function configuration() {
  return {
    accounts: { max_featured_tags: 10 },
    statuses: {
      max_characters: LIMITS.characters,
      max_media_attachments: LIMITS.attachments,
      characters_reserved_per_url: LIMITS.urlCharacters,
    },
    media_attachments: {
      description_limit: LIMITS.descriptionCharacters,
      supported_mime_types: MIME_TYPES,
      image_size_limit: LIMITS.imageBytes,
      image_matrix_limit: LIMITS.imagePixels,
      video_size_limit: LIMITS.videoBytes,
      video_frame_rate_limit: LIMITS.videoFrameRate,
      video_matrix_limit: LIMITS.videoPixels,
    },
  }
}
