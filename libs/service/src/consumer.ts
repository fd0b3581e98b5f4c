import type { CloudEvent } from '@herald/contracts/events'

/** A durable consumer of public events. */
export type Consumer = {
  stream: string
  /** The durable's name; one for each consuming system. */
  durable: string
  /** Which subjects; one filter, because servers before 2.10 take one only. */
  filterSubject: string
  /** How many events are in work at a time, over all lanes. */
  concurrency: number
  /** How long the server waits for a sign of life before it delivers again. */
  ackWaitMs: number
  /** How often a handler is tried before the event goes to the dead letters. */
  maxDeliver: number
  /** The waits between tries; the last one repeats. */
  backoffMs: readonly number[]
  /**
   * Handles one event; acknowledged after it resolves. Events of one subject (a post, a channel, a key) come one
   * after the other in order. An event can come more than once: `id` is the same, `sequence` does not rise.
   */
  handle: (event: CloudEvent) => Promise<void>
}
