import type { PublicEvent, PublicEventType } from '../public-events.ts'

const POST = 'post_01kb5x8pzge7y8b2k5m9q3w1ta'
const CHANNEL = 'chan_01kb5x7a2wf8t1d6g4k9m3p5vb'
const MEDIA = 'med_01kb5x7wq2e3r8t5y9n4c6d1fg'
const KEY = 'key_01kb5x6h8ze2p4s7j9n3c5r1ta'
const DUE = '2026-01-15T09:00:00.000Z'
const STORED = '2026-01-15T09:00:00.412Z'

const onChannel = { postId: POST, channelId: CHANNEL, platform: 'MASTODON' }
const channels = [{ channelId: CHANNEL, platform: 'MASTODON' }]
const account = { channelId: CHANNEL, platform: 'MASTODON', username: '@team', at: STORED }
const key = { keyId: KEY, prefix: 'herald_live_8fK2' }

/** The data of an example of each event. */
const DATA: Record<PublicEventType, Record<string, unknown>> = {
  PostScheduled: { postId: POST, source: 'api', scheduledAt: DUE, channels, mediaIds: [MEDIA] },
  PostEdited: { postId: POST },
  PostRescheduled: { postId: POST, scheduledAt: DUE },
  PostRetried: { postId: POST, scheduledAt: DUE, channels },
  PublishStarted: {
    postId: POST,
    scheduledAt: DUE,
    startedAt: '2026-01-15T09:00:00.022Z',
    latenessMs: 22,
    channels,
  },
  ChannelDelayed: {
    ...onChannel,
    attempts: 1,
    nextAttemptAt: '2026-01-15T09:00:30.000Z',
    errorCode: 'rate_limited',
  },
  ChannelPublished: {
    ...onChannel,
    platformPostId: '115893204417263001',
    url: 'https://mastodon.example/@team/115893204417263001',
    publishedAt: '2026-01-15T09:00:00.380Z',
    latenessMs: 41,
  },
  ChannelFailed: {
    ...onChannel,
    error: 'Mastodon refused the text.',
    errorCode: 'platform_rejected',
    retryable: false,
  },
  PostPublished: { postId: POST, published: 1, failed: 0 },
  PostFailed: { postId: POST, published: 0, failed: 1 },
  PostCancelled: { postId: POST },
  PostRemoved: { postId: POST },
  MediaReady: {
    mediaId: MEDIA,
    type: 'video',
    mimeType: 'video/mp4',
    sizeBytes: 4_194_304,
    width: 1_920,
    height: 1_080,
    durationSeconds: 12,
  },
  MediaFailed: { mediaId: MEDIA },
  MediaDescribed: { mediaId: MEDIA },
  MediaDeleted: { mediaId: MEDIA },
  ChannelConnected: account,
  ChannelReauthRequired: account,
  ChannelDisconnected: account,
  KeyCreated: key,
  KeyRevoked: key,
}

const SUBJECTS = { post: POST, media: MEDIA, channel: CHANNEL, key: KEY }
const EVENT = 'evt_01kb5x8q3mf1v9t2r7c4n6d8ee'

/** An example of a message: its headers and its body. */
export function exampleOf({ type, entity, source }: PublicEvent) {
  return {
    name: type,
    headers: { 'Content-Type': 'application/cloudevents+json', 'Nats-Msg-Id': EVENT },
    payload: {
      specversion: '1.0',
      id: EVENT,
      source,
      type,
      subject: SUBJECTS[entity],
      time: STORED,
      datacontenttype: 'application/json',
      organizationid: 'org_01kb5x6d0ve4p9s3h7j2n5c8rf',
      sequence: 3,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      data: DATA[type],
    },
  }
}
