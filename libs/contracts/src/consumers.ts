import { eventSubject, EVENTS_STREAM } from './events.ts'
import { MEDIA_EVENT_ACTIONS } from './media.ts'
import { POST_EVENT_ACTIONS } from './post-events.ts'

/** A durable consumer as the server knows it. */
export type DurableConsumer = {
  stream: string
  /** The durable's name; one for each consuming system. */
  durable: string
  /** Which subjects; one filter, because servers before 2.10 take one only. */
  filterSubject: string
  /** How many handlers run at a time in a process, over all lanes. */
  concurrency: number
  /** How long the server waits for a sign of life before it delivers again. */
  ackWaitMs: number
  /** How many messages may wait for their acknowledgement, over all processes; room for many unless said otherwise. */
  maxAckPending?: number
}

/** Herald's own consumers of public events: what the services read from, and what provisioning makes. */
export const CONSUMERS = {
  publisher: {
    stream: EVENTS_STREAM,
    durable: 'publisher',
    filterSubject: eventSubject('post', '*', POST_EVENT_ACTIONS.PublishStarted),
    concurrency: 64,
    ackWaitMs: 30_000,
  },
  mediaPosts: {
    stream: EVENTS_STREAM,
    durable: 'media-posts',
    filterSubject: eventSubject('post', '*', '*'),
    concurrency: 16,
    ackWaitMs: 30_000,
  },
  mediaDescriber: {
    stream: EVENTS_STREAM,
    durable: 'media-describer',
    filterSubject: eventSubject('media', '*', MEDIA_EVENT_ACTIONS.MediaReady),
    concurrency: 2,
    ackWaitMs: 120_000,
  },
  quotaScheduled: {
    stream: EVENTS_STREAM,
    durable: 'quota-scheduled',
    filterSubject: eventSubject('post', '*', POST_EVENT_ACTIONS.PostScheduled),
    // As many as fit into one statement may wait for it.
    concurrency: 64,
    ackWaitMs: 30_000,
  },
  quotaCancelled: {
    stream: EVENTS_STREAM,
    durable: 'quota-cancelled',
    filterSubject: eventSubject('post', '*', POST_EVENT_ACTIONS.PostCancelled),
    concurrency: 4,
    ackWaitMs: 30_000,
  },
} as const satisfies Record<string, DurableConsumer>
