import {
  type CloudEvent,
  DEAD_LETTER_STREAM,
  ReplayAnswer,
  replaySubject,
} from '@herald/contracts/events'
import {
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StoredMsg,
} from '@nats-io/jetstream'
import {
  headers,
  type NatsConnection,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node'
import { LETTER_REASON, LETTER_SUBJECT } from './dead-letters.ts'
import { readEvent } from './event-body.ts'

/** An event that a consumer gave up. */
export type DeadLetter = {
  /** Its position in the stream of dead letters. */
  id: number
  /** The durable that gave it up. */
  consumer: string
  /** When it was given up. */
  at: string
  reason: string
  /** The subject by which it had come. */
  subject: string
  /** Nothing when the message is not a CloudEvent. */
  event: CloudEvent | undefined
  /** The message as it was. */
  body: string
  /** When it was handled after all, on an operator's request. */
  replayedAt: string | undefined
}

/**
 * How a replay ended. `unknown`: no answer came in time, and it may have been handled. `absent`: no process of the
 * consumer runs, so nothing has happened.
 */
export type ReplayOutcome =
  | { outcome: 'handled' }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'unknown' }
  | { outcome: 'absent' }

/** The dead letters of all consumers, for an operator. */
export type DeadLetterBox = {
  /** The letters after that position, oldest first, one after the other; those of one consumer if it is named. */
  after: (position: number, consumer?: string) => AsyncGenerator<DeadLetter>
  /** One letter, if there is one of that id. */
  find: (id: number) => Promise<DeadLetter | undefined>
  /**
   * Asks the consumer that gave a letter up, and no other, to handle it once more, and marks the letter when it did. A
   * letter that was not handled stays as it was.
   */
  replay: (letter: DeadLetter, timeoutMs?: number) => Promise<ReplayOutcome>
}

const REPLAY_WITHIN_MS = 60_000
const NO_STREAM = 10059

/** Opens the box on a connection of an operator's, who may read and write the stream and make requests of consumers. */
export async function openDeadLetters(connection: NatsConnection): Promise<DeadLetterBox> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const read = async (stored: StoredMsg | null) =>
    stored ? toLetter(stored, await markOf(manager, stored)) : undefined
  return {
    async *after(position, consumer = '*') {
      for (let seq = position + 1; ;) {
        // Marks have one name more in their subject, so they are not among these.
        const query = { seq, next_by_subj: `herald.dead.${consumer}` }
        const letter = await read(await getMessage(manager, query))
        if (!letter) return
        yield letter
        seq = letter.id + 1
      }
    },
    async find(id) {
      const stored = await getMessage(manager, { seq: id })
      return stored && isMark(stored) ? undefined : read(stored)
    },
    async replay(letter, timeoutMs = REPLAY_WITHIN_MS) {
      const outcome = await ask(connection, letter, timeoutMs)
      if (outcome.outcome === 'handled') await mark(connection, letter)
      return outcome
    },
  }
}

async function ask(
  connection: NatsConnection,
  { consumer, subject, body }: DeadLetter,
  timeout: number,
): Promise<ReplayOutcome> {
  const fields = headers()
  fields.set(LETTER_SUBJECT, subject)
  try {
    const message = await connection.request(replaySubject(consumer), body, {
      timeout,
      headers: fields,
    })
    const answer = ReplayAnswer.parse(message.json())
    return answer.handled ? { outcome: 'handled' } : { outcome: 'failed', reason: answer.reason }
  } catch (error) {
    if (isAbsent(error)) return { outcome: 'absent' }
    if (error instanceof TimeoutError) return { outcome: 'unknown' }
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return (
    error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
  )
}

/** A mark stands behind its letter in the same stream, so it is kept at least as long. */
async function mark(connection: NatsConnection, letter: DeadLetter): Promise<void> {
  const body = JSON.stringify({ letter: letter.id, replayedAt: new Date().toISOString() })
  await jetstream(connection).publish(markSubject(letter.consumer, letter.id), body, {
    timeout: 5_000,
  })
}

async function markOf(manager: JetStreamManager, stored: StoredMsg): Promise<StoredMsg | null> {
  const subject = markSubject(consumerOf(stored), stored.seq)
  return getMessage(manager, { last_by_subj: subject })
}

function markSubject(consumer: string, id: number): string {
  return `herald.dead.${consumer}.replayed.${id}`
}

function isMark({ subject }: StoredMsg): boolean {
  return subject.split('.').length > 3
}

function consumerOf({ subject }: StoredMsg): string {
  return subject.split('.')[2] ?? ''
}

function toLetter(stored: StoredMsg, replayed: StoredMsg | null): DeadLetter {
  return {
    id: stored.seq,
    consumer: consumerOf(stored),
    at: stored.timestamp,
    reason: stored.header.get(LETTER_REASON),
    subject: stored.header.get(LETTER_SUBJECT),
    event: readEvent(stored),
    body: stored.string(),
    replayedAt: replayed?.timestamp,
  }
}

/** Nothing also where no stream was made yet: nothing was ever given up then. */
async function getMessage(
  manager: JetStreamManager,
  query: Parameters<JetStreamManager['streams']['getMessage']>[1],
): Promise<StoredMsg | null> {
  try {
    return await manager.streams.getMessage(DEAD_LETTER_STREAM, query)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NO_STREAM) return null
    throw error
  }
}
