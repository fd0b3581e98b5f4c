import type { DurableConsumer } from '@herald/contracts/consumers'
import type { CloudEvent } from '@herald/contracts/events'

/** A durable consumer of public events, and what is done with them. */
export type Consumer = DurableConsumer & {
  /**
   * How many failures of its handler send an event to the dead letters; deliveries after a crash count too.
   * An `AppError` of status 503 does not count: a part of Herald is away, and the event waits for it.
   */
  maxDeliver: number
  /** The waits between tries; the last one repeats. */
  backoffMs: readonly number[]
  /**
   * Handles one event; acknowledged after it resolves. Within a process, events of one CloudEvent subject (a post, a
   * channel, a key) come one after the other in order, and one that fails holds back those behind it. An event
   * can come more than once, and after a crash or on another replica one can come before an earlier one: `id` is the
   * same at every delivery, and `sequence` tells which is older.
   */
  handle: (event: CloudEvent, delivery: Delivery) => Promise<void>
}

/** How an event came. */
export type Delivery = {
  /** The NATS subject. */
  subject: string
  /** 1 at the first delivery; tries within one delivery do not count. */
  deliveryCount: number
  redelivered: boolean
}
