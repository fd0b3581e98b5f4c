import { EVENTS_STREAM } from '@herald/contracts/events'
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import { ensureStreams } from './jetstream.ts'

/** A message for the bus: `id` makes a second publishing of it within ten minutes a duplicate. */
export type OutgoingMessage = {
  subject: string
  id: string
  body: string
  headers: Record<string, string>
}

/** Where the bus's stream stands. A stream that was deleted and made again has another `created`. */
export type StreamPosition = { created: string; firstSequence: number; lastSequence: number }

/** The stream of public events, as the relay of an event store uses it. */
export type EventStream = {
  /** Makes the stream if it is missing, and tells where it stands. */
  position: () => Promise<StreamPosition>
  /**
   * Publishes a message if the last one has the sequence `expectedLast`; else throws `UnexpectedSequence`.
   * A message whose id is known answers `duplicate` whatever was expected. Resolves when the bus has stored it.
   */
  publish: (message: OutgoingMessage, expectedLast: number) => Promise<{ duplicate: boolean }>
  /** Calls back after the connection to the bus was lost and came back. Returns how to stop that. */
  onReconnect: (callback: () => void) => () => void
}

const WRONG_LAST_SEQUENCE = 10071
const PUBLISH_WITHIN_MS = 5_000

/** The bus answered that its last message is not the one that was expected. */
export class UnexpectedSequence extends Error {
  override name = 'UnexpectedSequence'
}

/** The stream of public events on JetStream. */
export function jetStreamEvents(bus: Bus): EventStream {
  return {
    async position() {
      const connection = await connected(bus)
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const info = await manager.streams.info(EVENTS_STREAM).catch(async () => {
        await ensureStreams(connection)
        return manager.streams.info(EVENTS_STREAM)
      })
      return {
        created: info.created,
        firstSequence: info.state.first_seq,
        lastSequence: info.state.last_seq,
      }
    },

    async publish(message, expectedLast) {
      const connection = await connected(bus)
      try {
        const { duplicate } = await jetstream(connection).publish(message.subject, message.body, {
          msgID: message.id,
          expect: { lastSequence: expectedLast, streamName: EVENTS_STREAM },
          headers: toHeaders(message.headers),
          timeout: PUBLISH_WITHIN_MS,
        })
        return { duplicate }
      } catch (error) {
        if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE)
          throw new UnexpectedSequence('The stream has moved on.', { cause: error })
        throw error
      }
    },

    onReconnect: bus.onReconnect,
  }
}

/** The connection while NATS is there. Nothing is put into the client's buffer while it is away. */
async function connected(bus: Bus): Promise<NatsConnection> {
  if (!bus.isConnected()) throw new Error('NATS is away.')
  return bus.connection()
}

function toHeaders(fields: Record<string, string>) {
  const set = headers()
  for (const [name, value] of Object.entries(fields)) set.set(name, value)
  return set
}
