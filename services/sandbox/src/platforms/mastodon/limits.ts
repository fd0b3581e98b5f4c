const MB = 1024 * 1024

/** The limits of the instance, Mastodon's own defaults. */
export const LIMITS = {
  characters: 500,
  attachments: 4,
  urlCharacters: 23,
  imageBytes: 16 * MB,
  imagePixels: 33_177_600,
  gifPixels: 921_600,
  videoBytes: 99 * MB,
  videoPixels: 8_294_400,
  videoFrameRate: 120,
  descriptionCharacters: 1500,
}

const IMAGES = 'image/jpeg image/png image/gif image/heic image/heif image/webp image/avif'
const VIDEOS = 'video/webm video/mp4 video/quicktime video/ogg'
const AUDIO = 'audio/wav audio/ogg audio/mpeg audio/mp3 audio/flac audio/aac audio/mp4 audio/3gpp'

export const MIME_TYPES = `${IMAGES} ${VIDEOS} ${AUDIO}`.split(' ')
