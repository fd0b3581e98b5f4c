/** The limits that this instance states and enforces. */
export const LIMITS = {
  maxCharacters: 500,
  maxMedia: 4,
  charactersPerUrl: 23,
  imageBytes: 16_777_216,
  videoBytes: 103_809_024,
  descriptionCharacters: 1500,
  mimeTypes: [
    'image/jpeg',
    'image/png',
    'image/gif',
    'image/webp',
    'video/webm',
    'video/mp4',
    'video/quicktime',
  ],
}

const configuration = {
  statuses: {
    max_characters: LIMITS.maxCharacters,
    max_media_attachments: LIMITS.maxMedia,
    characters_reserved_per_url: LIMITS.charactersPerUrl,
  },
  media_attachments: {
    supported_mime_types: LIMITS.mimeTypes,
    description_limit: LIMITS.descriptionCharacters,
    image_size_limit: LIMITS.imageBytes,
    image_matrix_limit: 33_177_600,
    video_size_limit: LIMITS.videoBytes,
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

/** `GET /api/v2/instance`. */
export function instanceV2(host: string) {
  return {
    domain: host,
    title: 'Herald sandbox',
    version: '4.5.0',
    source_url: '',
    description: 'A stand-in that enforces the real contract.',
    languages: ['en'],
    configuration,
    registrations: { enabled: false, approval_required: false, message: null },
    rules: [],
  }
}

/** `GET /api/v1/instance`, the older form. */
export function instanceV1(host: string) {
  const { domain: _, ...rest } = instanceV2(host)
  return { uri: host, short_description: rest.description, ...rest }
}
