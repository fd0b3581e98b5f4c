import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import {
  DEAD_LETTER_STREAM,
  DEAD_LETTER_SUBJECTS,
  EVENTS_STREAM,
  EVENTS_SUBJECTS,
} from '@herald/contracts/events'
import { type NatsConnection, nanos } from '@nats-io/transport-node'

const DAY_MS = 86_400_000
const STREAM_NAME_IN_USE = 10058

const KEPT = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_age: nanos(30 * DAY_MS),
  duplicate_window: nanos(600_000),
  allow_direct: true,
  deny_delete: true,
} as const

/** What is asked for of a stream. */
export type WantedStream = typeof KEPT &
  Pick<StreamConfig, 'name' | 'subjects'> &
  Partial<Pick<StreamConfig, 'max_msg_size'>>

/**
 * Herald's streams: public events (of at most 256 KiB each) and dead letters, kept in files for 30 days, with a window
 * of ten minutes in which a message id counts once. Single messages cannot be deleted; an operator can purge.
 */
export const STREAMS: readonly WantedStream[] = [
  { ...KEPT, name: EVENTS_STREAM, subjects: [EVENTS_SUBJECTS], max_msg_size: 256 * 1024 },
  // A dead letter is an event with headers of its own, so it may be larger than any event.
  { ...KEPT, name: DEAD_LETTER_STREAM, subjects: [DEAD_LETTER_SUBJECTS] },
]

/** Makes the streams that are missing. Existing streams stay as they are. Any number may call it at once. */
export async function ensureStreams(connection: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  for (const stream of STREAMS)
    try {
      await manager.streams.add(stream)
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NAME_IN_USE) throw error
    }
}
