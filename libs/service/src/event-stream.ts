import { CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import { ensureStreams } from './jetstream.ts'
import { missing } from './missing.ts'

/** A message for the bus: `id` makes a second publishing of it within ten minutes a duplicate. */
export type OutgoingMessage = {
  subject: string
  id: string
  body: string
  headers: Record<string, string>
}

/** Where the bus's stream stands. A stream that was deleted and made again has another `created`. */
export type StreamPosition = { created: string; firstSequence: number; lastSequence: number }

/** What a message must stand directly behind: the sequence or the id of the stream's last message. */
export type Predecessor = { sequence: number } | { id: string }

/** The stream of public events, as the relay of an event store uses it. */
export type EventStream = {
  /** Makes the stream if it is missing and the bus may, and tells where it stands. */
  position: () => Promise<StreamPosition>
  /**
   * Publishes a message if it comes directly behind `after`; else throws `Overtaken`. A message whose id is known
   * answers `duplicate`, whatever stands before it. Resolves with its sequence when the bus has stored it.
   */
  publish: (
    message: OutgoingMessage,
    after: Predecessor,
  ) => Promise<{ duplicate: boolean; sequence: number }>
  /** The newest event on these subjects; nothing when there is none. */
  last: (subjects: string) => Promise<CloudEvent | undefined>
  /** The events on these subjects from a sequence on, oldest first. */
  readFrom: (subjects: string, sequence: number) => AsyncIterable<CloudEvent>
  /** Calls back after the connection to the bus was lost and came back. Returns how to stop that. */
  onReconnect: (callback: () => void) => () => void
}

const WRONG_LAST_ID = 10070
const WRONG_LAST_SEQUENCE = 10071
const PUBLISH_WITHIN_MS = 5_000

/** The bus's last message is not the one that was expected: another writer came in between. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}

/** The stream of public events on JetStream. */
export function jetStreamEvents(bus: Bus): EventStream {
  return {
    async position() {
      const connection = await connected(bus)
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const info = await manager.streams.info(EVENTS_STREAM).catch(async (error: unknown) => {
        if (!bus.provisions) throw missing(EVENTS_STREAM, error)
        await ensureStreams(connection)
        return manager.streams.info(EVENTS_STREAM)
      })
      return {
        created: info.created,
        firstSequence: info.state.first_seq,
        lastSequence: info.state.last_seq,
      }
    },

    async publish(message, after) {
      const connection = await connected(bus)
      try {
        const { duplicate, seq } = await jetstream(connection).publish(
          message.subject,
          message.body,
          {
            msgID: message.id,
            expect: {
              streamName: EVENTS_STREAM,
              ...('id' in after ? { lastMsgID: after.id } : { lastSequence: after.sequence }),
            },
            headers: toHeaders(message.headers),
            timeout: PUBLISH_WITHIN_MS,
          },
        )
        return { duplicate, sequence: seq }
      } catch (error) {
        throw isOvertaken(error)
          ? new Overtaken('The stream has moved on.', { cause: error })
          : error
      }
    },

    async last(subjects) {
      const manager = await jetstreamManager(await connected(bus), { checkAPI: false })
      const found = await manager.streams.getMessage(EVENTS_STREAM, { last_by_subj: subjects })
      return found ? CloudEvent.parse(found.json()) : undefined
    },

    async *readFrom(subjects, sequence) {
      const manager = await jetstreamManager(await connected(bus), { checkAPI: false })
      // The client's type of the question leaves out what the server answers here: the next one on some subjects.
      const next = { seq: Math.max(sequence, 1), next_by_subj: subjects }
      for (;;) {
        const found = await manager.streams.getMessage(EVENTS_STREAM, next)
        if (!found) return
        yield CloudEvent.parse(found.json())
        next.seq = found.seq + 1
      }
    },

    onReconnect: bus.onReconnect,
  }
}

function isOvertaken(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === WRONG_LAST_SEQUENCE || error.code === WRONG_LAST_ID)
  )
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
