import { Platform } from '@herald/contracts/platforms'
import type { Row } from './matrix-cells.ts'

/**
 * What must come of each row on each platform. After a call whose outcome is unknown a post is found live wherever the
 * platform shows an app its own posts; LinkedIn shows no member's and Telegram no bot's, so there it stays unconfirmed.
 */
export const EXPECTED: Record<Row, Record<Platform, string>> = {
  text: everywhere('live', {
    INSTAGRAM: '422 requiresMedia',
    PINTEREST: '422 requiresMedia',
    TIKTOK: '422 requiresMedia',
    YOUTUBE: '422 requiresMedia requiresVideo',
  }),
  image: everywhere('live', { YOUTUBE: '422 requiresVideo maxImages mediaType' }),
  images: everywhere('live', {
    YOUTUBE: '422 requiresVideo maxImages mediaType mediaType mediaType',
  }),
  video: everywhere('live'),
  document: everywhere('422 mediaType', {
    INSTAGRAM: '422 requiresMedia mediaType',
    LINKEDIN: 'live',
    PINTEREST: '422 requiresMedia mediaType',
    TIKTOK: '422 requiresMedia mediaType',
    YOUTUBE: '422 requiresMedia requiresVideo mediaType',
  }),
  'image and video': everywhere('422 mediaMix', {
    DISCORD: 'live',
    INSTAGRAM: 'live',
    TELEGRAM: 'live',
    THREADS: 'live',
    YOUTUBE: '422 mediaMix maxImages mediaType',
  }),
  'image and document': everywhere('422 mediaType', {
    LINKEDIN: '422 mediaMix',
    TELEGRAM: '422 mediaType mediaMix',
    YOUTUBE: '422 requiresVideo maxImages mediaType mediaType',
  }),
  'too long': everywhere('422 maxChars', { BLUESKY: '422 maxChars maxBytes' }),
  'missing field': everywhere('-', {
    PINTEREST: '422 requiredFields',
    REDDIT: '422 requiredFields requiredFields',
    TIKTOK: '422 requiredFields',
    YOUTUBE: '422 requiredFields requiredFields',
  }),
  'expired token': everywhere('live', {
    FACEBOOK: 'reauth_required',
    INSTAGRAM: 'reauth_required',
    THREADS: 'reauth_required',
  }),
  'revoked grant': everywhere('reauth_required'),
  'rate limit': everywhere('live'),
  'processing failure': everywhere('-', {
    FACEBOOK: 'media_unfit',
    INSTAGRAM: 'media_unfit',
    REDDIT: 'media_unfit',
    THREADS: 'media_unfit',
    TIKTOK: 'media_unfit',
    YOUTUBE: 'live',
  }),
  drop_before: everywhere('unconfirmed'),
  drop_after: everywhere('live', {
    LINKEDIN: 'unconfirmed (is live)',
    TELEGRAM: 'unconfirmed (is live)',
  }),
  hang_after: everywhere('live', {
    LINKEDIN: 'unconfirmed (is live)',
    TELEGRAM: 'unconfirmed (is live)',
  }),
  error_before: everywhere('unconfirmed'),
  error_after: everywhere('live', {
    LINKEDIN: 'unconfirmed (is live)',
    TELEGRAM: 'unconfirmed (is live)',
  }),
  malformed: everywhere('live', { TELEGRAM: 'unconfirmed (is live)' }),
  slow: everywhere('live'),
}

function everywhere(
  ending: string,
  except: Partial<Record<Platform, string>> = {},
): Record<Platform, string> {
  const all = Platform.options.map((platform) => [platform, ending] as const)
  return { ...(Object.fromEntries(all) as Record<Platform, string>), ...except }
}
