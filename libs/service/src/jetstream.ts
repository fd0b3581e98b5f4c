import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
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

const STREAMS = [
  { name: EVENTS_STREAM, subjects: [EVENTS_SUBJECTS] },
  { name: DEAD_LETTER_STREAM, subjects: [DEAD_LETTER_SUBJECTS] },
]

/**
 * Makes the streams that are missing: public events and dead letters, kept in files for 30 days, with a window of ten
 * minutes in which a message id counts once. Existing streams stay as they are. Any number may call it at once.
 */
export async function ensureStreams(connection: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  for (const { name, subjects } of STREAMS)
    try {
      await manager.streams.add({
        name,
        subjects,
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.Old,
        max_age: nanos(30 * DAY_MS),
        duplicate_window: nanos(600_000),
        max_msg_size: 256 * 1024,
        allow_direct: true,
        deny_delete: true,
      })
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NAME_IN_USE) throw error
    }
}
