import type { Channel } from '@herald/contracts/channels'
import type { Media } from '@herald/contracts/media'
import type { Violation } from '@herald/contracts/platforms'
import type { PostHistoryEvent } from '@herald/contracts/post-history'
import type { Post, PostChannel } from '@herald/contracts/posts'
import type { Refusal } from './refusals.ts'

/** The bakery of all examples: one organization with two channels, and a post in each of its states. */
export const IDS = {
  organization: 'org_01kb5x2m6qfa3v8r9w0d1e2f3g',
  key: 'key_01kb5x3c4wfd7n9p2r5t8v0x1z',
  mastodon: 'chan_01kb5x4a7ne8btgq1vq4p0d2c9',
  bluesky: 'chan_01kb5x4h2rf4nvk0z3m8s6t7w1',
  post: 'post_01kb5x7c3te9d8w2q5r6y1n4m8',
  media: 'med_01kb5x9a1vf8t2m3n4p5q6r7s8',
  importedMedia: 'med_01kb5x8w2gh6t9v1c3d4e5f6g7',
  earlierPost: 'post_01kb5x6v0yf1h7j3k9s2p8b5d4',
} as const

export const CURSOR = 'eyJhdCI6MTc5NTI1MjgwMH0'

export const MASTODON_CHANNEL: Channel = {
  id: IDS.mastodon,
  platform: 'MASTODON',
  platformName: 'Mastodon',
  name: 'Corner Bakery',
  username: '@bakery@social.example',
  avatarUrl: 'https://social.example/avatars/bakery.png',
  status: 'active',
  rules: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 500,
    requiredFields: [],
  },
}

export const BLUESKY_CHANNEL: Channel = {
  ...MASTODON_CHANNEL,
  id: IDS.bluesky,
  platform: 'BLUESKY',
  platformName: 'Bluesky',
  username: 'bakery.example',
  avatarUrl: null,
  status: 'reauth_required',
  rules: { ...MASTODON_CHANNEL.rules, maxChars: 300 },
}

const WAITING: PostChannel = {
  channelId: IDS.mastodon,
  platform: 'MASTODON',
  status: 'draft',
  content: 'Fresh bread from seven.',
  platformPostId: null,
  url: null,
  publishedAt: null,
  error: null,
  errorCode: null,
  retryable: null,
  attempts: 0,
  nextAttemptAt: null,
  latenessMs: null,
}
const WAITING_ON_BLUESKY: PostChannel = {
  ...WAITING,
  channelId: IDS.bluesky,
  platform: 'BLUESKY',
  content: 'Fresh bread from seven, as every day.',
}

export const SCHEDULED_POST: Post = {
  id: IDS.post,
  status: 'scheduled',
  content: 'Fresh bread from seven.',
  scheduledAt: '2026-12-01T06:00:00.000Z',
  publishedAt: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  source: 'api',
  channels: [WAITING, WAITING_ON_BLUESKY],
  media: [],
  reddit: null,
}

export const IMMEDIATE_POST: Post = {
  ...SCHEDULED_POST,
  scheduledAt: SCHEDULED_POST.createdAt,
  channels: [WAITING],
}

export const EDITED_POST: Post = {
  ...SCHEDULED_POST,
  content: 'Fresh bread from eight.',
  scheduledAt: '2026-12-01T07:00:00.000Z',
  channels: [
    { ...WAITING, content: 'Fresh bread from eight.' },
    { ...WAITING_ON_BLUESKY, content: 'Fresh bread from eight.' },
  ],
}

const UNCONFIRMED = 'Herald could not confirm this post. Check the account before posting it again.'

/** Live on one channel and failed on the other. */
export const PUBLISHED_POST: Post = {
  ...SCHEDULED_POST,
  id: IDS.earlierPost,
  status: 'published',
  publishedAt: '2026-12-01T06:00:00.412Z',
  channels: [
    {
      ...WAITING,
      status: 'published',
      platformPostId: '115642900000000001',
      url: 'https://social.example/@bakery/115642900000000001',
      publishedAt: '2026-12-01T06:00:00.412Z',
      attempts: 1,
      latenessMs: 38,
    },
    {
      ...WAITING_ON_BLUESKY,
      status: 'failed',
      error: UNCONFIRMED,
      errorCode: 'unconfirmed',
      retryable: false,
      attempts: 1,
      latenessMs: 41,
    },
  ],
}

export const TOO_LONG: Violation = {
  channelId: IDS.bluesky,
  platform: 'BLUESKY',
  rule: 'maxChars',
  limit: 300,
  actual: 312,
  path: 'content',
  message: 'The text has 312 characters; Bluesky takes 300.',
}

/** The one that failed in part, sent again to the channel that failed. */
export const RETRIED_POST: Post = {
  ...PUBLISHED_POST,
  status: 'scheduled',
  scheduledAt: '2026-12-01T09:12:30.118Z',
  channels: [...PUBLISHED_POST.channels.slice(0, 1), WAITING_ON_BLUESKY],
}

export const HISTORY: PostHistoryEvent[] = [
  {
    id: 'evt_01kb5x6v1bfk8r2w4t6y9n3p5q',
    sequence: 1,
    type: 'PostScheduled',
    at: '2026-11-21T09:30:00.004Z',
    actor: { kind: 'key', id: IDS.key },
    channelId: null,
    data: { scheduledAt: '2026-12-01T06:00:00.000Z', channelIds: [IDS.mastodon, IDS.bluesky] },
  },
  {
    id: 'evt_01kbbcjw8eh3v5x7z9c1f4g6j8',
    sequence: 2,
    type: 'PublishStarted',
    at: '2026-12-01T06:00:00.014Z',
    actor: { kind: 'scheduler', id: null },
    channelId: null,
    data: {
      scheduledAt: '2026-12-01T06:00:00.000Z',
      latenessMs: 14,
      channelIds: [IDS.mastodon, IDS.bluesky],
    },
  },
  {
    id: 'evt_01kbbcjwqpt5w8y1a3d6g9k2m4',
    sequence: 3,
    type: 'ChannelPublished',
    at: '2026-12-01T06:00:00.466Z',
    actor: { kind: 'publisher', id: null },
    channelId: IDS.mastodon,
    data: {
      platform: 'MASTODON',
      platformPostId: '115642900000000001',
      url: 'https://social.example/@bakery/115642900000000001',
      publishedAt: '2026-12-01T06:00:00.412Z',
      attempts: 1,
      latenessMs: 38,
    },
  },
  {
    id: 'evt_01kbbd5hm2q7s9v1x3z5b8d0f2',
    sequence: 4,
    type: 'ChannelFailed',
    at: '2026-12-01T06:10:11.236Z',
    actor: { kind: 'publisher', id: null },
    channelId: IDS.bluesky,
    data: {
      platform: 'BLUESKY',
      error: UNCONFIRMED,
      errorCode: 'unconfirmed',
      retryable: false,
      attempts: 1,
      latenessMs: 41,
    },
  },
  {
    id: 'evt_01kbbd5hm3r8t0w2y4a6c9e1g3',
    sequence: 5,
    type: 'PostPublished',
    at: '2026-12-01T06:10:11.236Z',
    actor: { kind: 'publisher', id: null },
    channelId: null,
    data: {},
  },
]

export const NO_SUCH_CHANNEL: Refusal = {
  code: 'not_found',
  when: 'There is no such connected channel in the organization, or the key does not see it.',
  message: 'There is no such connected channel.',
}

export const NO_SUCH_POST: Refusal = {
  code: 'not_found',
  when: 'There is no such post in the organization, or the key sees none of its channels.',
  message: 'There is no such post.',
}

export const PENDING_MEDIA: Media = {
  id: IDS.media,
  type: 'image',
  status: 'pending',
  fileName: 'oven.jpg',
  mimeType: 'image/jpeg',
  sizeBytes: 184_213,
  url: null,
  thumbnailUrl: null,
  width: null,
  height: null,
  durationSeconds: null,
  altText: 'Loaves in an oven',
  description: null,
  createdAt: '2026-11-21T09:30:00.000Z',
}

export const READY_MEDIA: Media = {
  ...PENDING_MEDIA,
  status: 'ready',
  url: 'https://files.example/files/3f0c5b1e9d7a42668f1d0b9ac7e4d21f5a6b7c8d.jpg',
  thumbnailUrl: 'https://files.example/thumbnails/9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b.webp',
  width: 1600,
  height: 1200,
  description: 'A landscape picture, mostly brown and orange.',
}

/** Its description has not been made yet. */
export const IMPORTED_MEDIA: Media = {
  ...READY_MEDIA,
  id: IDS.importedMedia,
  createdAt: '2026-11-21T09:00:00.000Z',
  description: null,
}

export const NO_SUCH_FILE: Refusal = {
  code: 'not_found',
  when: 'There is no such file in the organization.',
  message: 'There is no such file.',
}
