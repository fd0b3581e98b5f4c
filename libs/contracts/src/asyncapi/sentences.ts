import type { PublicEvent, PublicEventType } from '../public-events.ts'

/** When each event comes. */
export const WHEN: Record<PublicEventType, string> = {
  PostScheduled: 'A post was accepted, also one for now. The first event of every post.',
  PostEdited: 'The text of a post changed before it was due. Ask the API for the text.',
  PostRescheduled: 'The time of a post changed before it was due.',
  PostRetried:
    'A post had ended and is sent again, now, to those of its channels that the event names.',
  PublishStarted: 'The time of a post has come. One event for each of its channels follows.',
  ChannelDelayed:
    'A post could not be published on a channel yet and is tried again by itself. It may come any number of times.',
  ChannelPublished:
    'A post is live on a channel. It may follow `ChannelFailed` when the platform answers late.',
  ChannelFailed: 'A post will not become live on a channel, unless it is retried.',
  PostPublished: 'A post has ended, and at least one channel has it.',
  PostFailed: 'A post has ended, and no channel has it.',
  PostCancelled: 'A post was deleted before its time. The last event of its subject.',
  PostRemoved:
    'A post was deleted after it had ended. What is live stays live. The last event of its subject.',
  MediaReady: 'An upload was completed, or a file imported. Posts may carry it from now on.',
  MediaFailed: 'An upload was not completed in its time.',
  MediaDescribed: 'A description of a file was made, which the API tells and searches.',
  MediaDeleted: 'A file was deleted, also before it was ready. The last event of its subject.',
  ChannelConnected: 'An account was connected, or connected again.',
  ChannelReauthRequired:
    'The platform refuses the grant of an account; a person must connect it again before anything is posted.',
  ChannelDisconnected: 'An account was disconnected and its credentials deleted.',
  KeyCreated: 'An API key was made.',
  KeyRevoked: 'An API key was revoked. It is refused everywhere within 5 seconds.',
}

/** What the events of each entity are about. */
export const ENTITIES: Record<PublicEvent['entity'], string> = {
  post: 'What happens to posts, from their acceptance to their end on every channel.',
  media: 'What happens to files of the library.',
  channel: 'What happens to connected accounts.',
  key: 'What happens to API keys.',
}

/** The text at the head of the document. */
export const INTRODUCTION = `Herald publishes what happens to posts, files, channels and API keys on NATS JetStream, in the stream
\`HERALD_EVENTS\`, as CloudEvents 1.0 in structured JSON. Messages are kept for 30 days and delivered at least once; those of one
\`subject\` are published in the order of \`sequence\`. A consumer drops what it has had by the \`id\` of the body.

No event carries the text of a post, the name or description of a file, credentials or keys.

\`docs/events.md\` tells how to write a consumer; \`docs/schemas/\` holds the schema of each message alone.`
