import type { CloudEvent } from '@herald/contracts/events'
import type { JsMsg } from '@nats-io/jetstream'
import { isWithin } from './deadline.ts'
import { readEvent } from './event-body.ts'
import {
  type Attempted,
  type AttemptsOptions,
  makeAttempts,
  type Outcome,
} from './event-attempts.ts'
import type { HandlerFailure } from './consumer-controller.ts'
import { type Lanes, makeLanes, makeSlots, type Slots } from './lanes.ts'

/** The work on the messages that a consumer was given: every one is held until it is acknowledged or ended. */
export type EventWork = {
  /**
   * Opens the book of a consumer, known by when it was made. The book stays when it is the same consumer as before;
   * acknowledgements that could not be sent are sent now. A consumer that was made anew gives other messages the
   * same numbers, so from then on what came before is worked on to its end but not acknowledged.
   */
  open: (consumerCreated: string) => void
  /** Begins to work on a message. One that is in work already, and comes again, is only noted. */
  take: (message: JsMsg) => void
  /**
   * Handles once, in the lane and a slot as any other, an event that did not come from the consumer. Tells the failure
   * of the handler, or that it is too late to begin.
   */
  replay: (event: CloudEvent, subject: string) => Promise<HandlerFailure | undefined>
  /** Resolves when another message may be taken. */
  room: () => Promise<void>
  /**
   * Waits, for 15 s at most, until the intake has ended and everything taken was handled. An event that fails meanwhile
   * is given back at once, and those behind it so that they come later, after `ackWaitMs`.
   */
  close: (intake: Promise<void>) => Promise<void>
}

export type EventWorkOptions = AttemptsOptions & { isConnected: () => boolean }

type Book = {
  consumerCreated: string
  held: Map<number, Held>
  /** How the latest messages ended, for those that come again because their acknowledgement was lost. */
  ended: Map<number, Outcome>
}
type Held = Attempted & {
  book: Book
  lane: string
  /** How the work ended, from then until the server can be told. */
  outcome?: Outcome | undefined
}

const CLOSE_WITHIN_MS = 15_000
/** How many messages are held for each handler that may run. */
const HELD_PER_HANDLER = 4
/** How many ended messages are remembered. */
const ENDED_KEPT = 4_096

/**
 * Works on events in lanes, one for each CloudEvent subject. An event whose handler fails is tried again inside its
 * lane, rather than handed back to the server, so no later one of the same subject overtakes it while other lanes go on.
 */
export function startEventWork(options: EventWorkOptions): EventWork {
  const { consumer, logger, isConnected } = options
  const closing = new AbortController()
  const ending = new AbortController()
  const lanes = makeLanes()
  const inSlot = makeSlots(options.consumer.concurrency)
  const attempt = makeAttempts(options, { closing: closing.signal, ending: ending.signal }, inSlot)
  const left = new Set<string>()
  let book = emptyBook('')

  const settle = (held: Held) => {
    if (held.book !== book || !held.outcome || !isConnected()) return
    held.message[held.outcome]()
    closeEntry(book, held.message.seq, held.outcome)
  }

  const begin = (message: JsMsg) => {
    const event = readEvent(message)
    const lane = event?.subject ?? message.subject
    const held: Held = { book, lane, event, message, isRunning: false }
    book.held.set(message.seq, held)
    const signOfLife = setInterval(() => {
      if (held.book === book && isConnected()) held.message.working()
    }, consumer.ackWaitMs / 2)
    lanes.add(lane, async () => {
      // What is behind an event that was left must not overtake it.
      if (!left.has(lane)) held.outcome = await attempt(held)
      if (!held.outcome) left.add(lane)
      clearInterval(signOfLife)
      settle(held)
    })
  }

  return {
    open: (consumerCreated) => {
      if (book.consumerCreated !== consumerCreated) book = emptyBook(consumerCreated)
      for (const held of book.held.values()) settle(held)
    },
    take: (message) => {
      const outcome = book.ended.get(message.seq)
      if (outcome) return message[outcome]()
      const held = book.held.get(message.seq)
      if (!held) return begin(message)
      held.message = message
      settle(held)
    },
    replay: makeReplay(options, lanes, inSlot, closing.signal),
    room: async () => {
      if (!closing.signal.aborted) await lanes.roomBelow(consumer.concurrency * HELD_PER_HANDLER)
    },
    close: async (intake) => {
      closing.abort()
      if (!(await isWithin(CLOSE_WITHIN_MS, intake.then(lanes.idle))))
        logger.warn('Events are still in work; closing goes on without them.')
      ending.abort()
      if (isConnected()) giveBack(book)
    },
  }
}

function makeReplay(
  { callHandler }: EventWorkOptions,
  lanes: Lanes,
  inSlot: Slots,
  closing: AbortSignal,
): EventWork['replay'] {
  return (event, subject) =>
    new Promise((resolve) =>
      lanes.add(event.subject, async () => {
        if (closing.aborted) return resolve({ error: 'The consumer is being stopped.' })
        const delivery = { subject, deliveryCount: 1, redelivered: true }
        resolve(await inSlot(() => callHandler(event, delivery)))
      }),
    )
}

function emptyBook(consumerCreated: string): Book {
  return { consumerCreated, held: new Map(), ended: new Map() }
}

function closeEntry({ held, ended }: Book, sequence: number, outcome: Outcome): void {
  held.delete(sequence)
  ended.set(sequence, outcome)
  if (ended.size <= ENDED_KEPT) return
  const [oldest] = ended.keys()
  if (oldest !== undefined) ended.delete(oldest)
}

/**
 * The first event of each lane is to be delivered again at once. Those behind it get a sign of life, in order, so that
 * the server delivers them later and in order; given back together with the first, they could come before it.
 */
function giveBack({ held }: Book): void {
  const rest = [...held.values()].filter(({ outcome }) => !outcome)
  const seen = new Set<string>()
  for (const { lane, message, isRunning } of rest.toSorted(byAge)) {
    if (seen.has(lane)) message.working()
    else if (!isRunning) message.nak()
    seen.add(lane)
  }
}

function byAge(one: Held, other: Held): number {
  return one.message.seq - other.message.seq
}
